#include "models/zoo/model_numbers.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/printable.h"
#include "base/units.h"
#include "settings/nearest_names.h"

namespace podsim {
namespace {

absl::StatusOr<ModelNumber> ParseNumber(const std::string& text) {
  const std::size_t equals = text.find('=');
  ModelNumber number;
  std::int64_t value = 0;
  if (equals == std::string::npos || equals == 0 ||
      !absl::SimpleAtoi(text.substr(equals + 1), &value))
    return absl::InvalidArgumentError(absl::StrCat(
        "model_config has '", PrintableLine(text),
        "', which is no NAME=N with a whole number, such as depth=101"));
  number.set_name(text.substr(0, equals));
  number.set_value(value);
  return number;
}

}  // namespace

absl::StatusOr<std::vector<ModelNumber>> ParseNumbers(
    const std::vector<std::string>& texts) {
  std::vector<ModelNumber> numbers;
  for (const std::string& text : texts) {
    PODSIM_ASSIGN_OR_RETURN(ModelNumber number, ParseNumber(text));
    numbers.push_back(std::move(number));
  }
  std::sort(numbers.begin(), numbers.end(),
            [](const ModelNumber& a, const ModelNumber& b) {
              return a.name() < b.name();
            });
  for (std::size_t i = 1; i < numbers.size(); ++i)
    if (numbers[i].name() == numbers[i - 1].name())
      return absl::InvalidArgumentError(
          absl::StrCat("model_config gives ", PrintableLine(numbers[i].name()),
                       " twice; give it once"));
  return numbers;
}

std::string NumbersText(const ModelConfig& config) {
  return absl::StrJoin(
      config.numbers(), ",", [](std::string* out, const ModelNumber& number) {
        absl::StrAppend(out, number.name(), "=", number.value());
      });
}

absl::Status UnknownNumber(const ModelConfig& config, std::string_view name,
                           const std::vector<std::string>& known) {
  return absl::InvalidArgumentError(absl::StrCat(
      "model_config: model ", config.name(), " has no number '",
      PrintableLine(std::string(name)), "'", DidYouMean(name, known),
      "; it has ", absl::StrJoin(known, ", ")));
}

absl::Status CheckNumber(const ModelNumber& number, std::int64_t least,
                         std::int64_t most) {
  if (number.value() >= least && number.value() <= most)
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "model_config: ", number.name(), " is ", number.value(),
      "; allowed: ", FormatCount(least), " to ", FormatCount(most)));
}

absl::StatusOr<DType> ActivationType(std::int64_t activation_bytes) {
  if (activation_bytes == SizeOf(DType::kBFloat16)) return DType::kBFloat16;
  if (activation_bytes == SizeOf(DType::kFloat32)) return DType::kFloat32;
  return absl::InvalidArgumentError(
      absl::StrCat("model_config: activation_bytes is ", activation_bytes,
                   "; allowed: 2 (bfloat16) and 4 (float32)"));
}

}  // namespace podsim
