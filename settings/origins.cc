#include "settings/origins.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "settings/setting.h"

namespace podsim {
namespace {

// "train_batch_size" of "train_batch_size 100 does not divide by the ...".
std::string NamedBeforeNumber(absl::string_view message) {
  message = absl::StripPrefix(message, "--");
  const std::size_t end = message.find(' ');
  return end != message.npos && end + 1 < message.size() &&
                 absl::ascii_isdigit(
                     static_cast<unsigned char>(message[end + 1]))
             ? std::string(message.substr(0, end))
             : "";
}

}  // namespace

std::string SettingIn(absl::string_view message) {
  if (absl::StartsWith(message, "no model is called ")) return "model";
  if (absl::StartsWith(message, "no data set is called ")) return "dataset";
  message = absl::StripPrefix(message, "--");
  const std::size_t end =
      message.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_");
  if (end == absl::string_view::npos) return "";
  const absl::string_view rest = message.substr(end);
  for (const char* said : {" is ", " has no ", " needs ", ": "})
    if (absl::StartsWith(rest, said))
      return std::string(message.substr(0, end));
  return "";
}

Origins OriginsOf(
    const std::vector<const google::protobuf::FieldDescriptor*>& variables) {
  Origins origins;
  for (const auto* field : variables)
    origins[FlagOf(*field)] = VariableOf(*field);
  return origins;
}

absl::Status WithOrigin(const absl::Status& status, const Origins& origins) {
  if (status.ok()) return status;
  std::string name = SettingIn(status.message());
  if (name.empty()) name = NamedBeforeNumber(status.message());
  const auto origin = origins.find(name);
  if (origin == origins.end()) return status;
  const std::string from = absl::StrCat(" (from ", origin->second, ")");
  if (absl::StrContains(status.message(), from)) return status;
  return absl::Status(status.code(), absl::StrCat(status.message(), from));
}

}  // namespace podsim
