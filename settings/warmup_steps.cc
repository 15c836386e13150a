#include "settings/warmup_steps.h"

#include <cmath>
#include <cstdint>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "settings/setting.h"

namespace podsim {
namespace {

using ::google::protobuf::Message;

// The number behind a flag that the message speaks of, from 0 to 1.
std::optional<double> RatioIn(absl::string_view message,
                              const std::vector<std::string>& args) {
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::size_t equals = args[i].find('=');
    const std::string name =
        absl::StrReplaceAll(args[i].substr(0, equals), {{"-", "_"}});
    if (!absl::StartsWith(name, "__warmup_") ||
        !absl::StrContains(message, absl::StrCat("--", name.substr(2), "; ")))
      continue;
    std::string text =
        equals == std::string::npos ? "" : args[i].substr(equals + 1);
    if (text.empty() && i + 1 < args.size()) text = args[i + 1];
    double ratio = 0;
    if (absl::SimpleAtod(text, &ratio) && ratio >= 0 && ratio <= 1)
      return ratio;
  }
  return std::nullopt;
}

std::optional<std::int64_t> TrainSteps(const std::vector<Message*>& messages) {
  for (const Message* message : messages) {
    const auto* field =
        message->GetDescriptor()->FindFieldByName("train_steps");
    if (field != nullptr && IsSet(*message, *field))
      return message->GetReflection()->GetInt64(*message, field);
  }
  return std::nullopt;
}

}  // namespace

absl::Status WithWarmupSteps(const absl::Status& refused,
                             const std::vector<std::string>& args,
                             const std::vector<Message*>& messages) {
  if (!absl::StrContains(refused.message(), "ratio x --train_steps"))
    return refused;
  const std::optional<double> ratio = RatioIn(refused.message(), args);
  const std::optional<std::int64_t> steps = TrainSteps(messages);
  if (!ratio || !steps) return refused;
  return absl::Status(
      refused.code(),
      absl::StrCat(refused.message(), "; here --warmup_steps=",
                   std::llround(*ratio * static_cast<double>(*steps))));
}

}  // namespace podsim
