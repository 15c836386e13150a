#include "runtime/files/json_text.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "google/protobuf/util/json_util.h"
#include "runtime/files/json_error.h"
#include "runtime/files/json_scan.h"
#include "settings/setting.h"

namespace podsim {
namespace {

using ::google::protobuf::FieldDescriptor;

// The last of two values would win without a word.
absl::Status CheckGivenOnce(const JsonFile& file) {
  std::vector<const FieldDescriptor*> seen;
  for (const JsonName& name : file.scan.names) {
    const FieldDescriptor* const field = OuterField(name.name, file.fields);
    if (std::ranges::find(seen, field) != seen.end())
      return absl::InvalidArgumentError(
          absl::StrCat(JsonPrefix(file, name.at), field->name(),
                       " stands twice; keep one of them"));
    if (field != nullptr) seen.push_back(field);
  }
  return absl::OkStatus();
}

}  // namespace

bool IsJson(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && text[first] == '{';
}

absl::Status ParseJson(const std::string& text, const std::string& name,
                       const TextKind& kind, google::protobuf::Message& message,
                       Origins& origins) {
  const JsonScan scan = ScanJson(text);
  const JsonFile file = {text, name, kind, *message.GetDescriptor(), scan};
  const auto parsed = google::protobuf::util::JsonStringToMessage(
      google::protobuf::StringPiece(text), &message);
  if (parsed.ok() || !scan.slip) PODSIM_RETURN_IF_ERROR(CheckGivenOnce(file));
  if (!parsed.ok())
    return absl::InvalidArgumentError(
        JsonError(std::string(parsed.message()), file));
  std::vector<const FieldDescriptor*> given;
  message.GetReflection()->ListFields(message, &given);
  for (const FieldDescriptor* field : given) origins[FlagOf(*field)] = name;
  for (const JsonName& outer : scan.names) {
    const FieldDescriptor* const field = OuterField(outer.name, file.fields);
    if (std::ranges::find(given, field) != given.end())
      origins[FlagOf(*field)] =
          absl::StrCat(name, " line ", LineOf(text, outer.at));
  }
  return absl::OkStatus();
}

}  // namespace podsim
