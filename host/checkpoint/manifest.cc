#include "host/checkpoint/manifest.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <set>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/checkpoint/layout.h"
#include "host/checkpoint/sums.h"

namespace podsim {
namespace {

namespace pb = google::protobuf::util;

// Protobuf's errors quote the text, whose lines and control characters do not
// belong into one of ours.
std::string FirstLine(const std::string& reason) {
  const std::size_t begin =
      std::min(reason.find_first_not_of('\n'), reason.size());
  return absl::CEscape(reason.substr(begin, reason.find('\n', begin) - begin));
}

absl::Status CheckFiles(const CheckpointManifest& manifest) {
  std::set<int> parts;
  for (const CheckpointFile& file : manifest.files()) {
    const auto number = ParsePartName(file.name());
    if (!number || number->parts != manifest.files_size() ||
        !parts.insert(number->part).second)
      return absl::InvalidArgumentError(
          absl::StrCat("\"", file.name(), "\" is not one of ",
                       manifest.files_size(), " parts, or comes twice"));
    if (file.bytes() < 1 || !IsSha256(file.sha256()))
      return absl::InvalidArgumentError(
          absl::StrCat(file.name(), " has ", file.bytes(),
                       " bytes and SHA-256 \"", file.sha256(), "\""));
  }
  if (!parts.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError("it has no files");
}

absl::Status CheckTensors(const CheckpointManifest& manifest) {
  std::set<std::string> files;
  for (const CheckpointFile& file : manifest.files()) files.insert(file.name());
  std::set<std::string> used;
  std::set<std::string> names;
  for (const CheckpointTensor& tensor : manifest.tensors()) {
    if (tensor.name().empty() || !names.insert(tensor.name()).second)
      return absl::InvalidArgumentError(absl::StrCat(
          "tensor \"", tensor.name(), "\" comes twice, or has no name"));
    if (files.count(tensor.file()) == 0)
      return absl::InvalidArgumentError(
          absl::StrCat("tensor ", tensor.name(), " lies in \"", tensor.file(),
                       "\", which is no file of it"));
    used.insert(tensor.file());
  }
  if (used == files) return absl::OkStatus();
  return absl::InvalidArgumentError("one of its files holds no tensor");
}

absl::Status CheckStints(const CheckpointManifest& manifest) {
  std::int64_t step = 0;
  std::int64_t example = 0;
  for (const Stint& stint : manifest.stints()) {
    if (stint.first_step() != step || stint.last_step() < step ||
        stint.first_example() != example || stint.end_example() < example)
      return absl::InvalidArgumentError(absl::StrCat(
          "the stint on ", stint.slice(), " goes from step ",
          stint.first_step(), " to ", stint.last_step(), " and from example ",
          stint.first_example(), " to ", stint.end_example(), ", where step ",
          step, " and example ", example, " come next"));
    step = stint.last_step();
    example = stint.end_example();
  }
  if (step == manifest.step() && example == manifest.examples_consumed())
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "its stints end at step ", step, " and example ", example, ", it is of ",
      "step ", manifest.step(), " and example ", manifest.examples_consumed()));
}

}  // namespace

absl::Status CheckManifest(const CheckpointManifest& manifest) {
  if (manifest.format() != kCheckpointFormat)
    return absl::FailedPreconditionError(absl::StrCat(
        "its format is ", manifest.format(), ", this podsim reads ",
        kCheckpointFormat, "; use the build that wrote it (",
        manifest.build_id(), ")"));
  PODSIM_RETURN_IF_ERROR(CheckFiles(manifest));
  PODSIM_RETURN_IF_ERROR(CheckTensors(manifest));
  return CheckStints(manifest);
}

std::string ManifestJson(const CheckpointManifest& manifest) {
  pb::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  std::string text;
  PODSIM_CHECK(pb::MessageToJsonString(manifest, &text, options).ok());
  return text;
}

absl::StatusOr<CheckpointManifest> ParseManifest(std::string_view json) {
  CheckpointManifest manifest;
  const auto parsed = pb::JsonStringToMessage(
      {json.data(), json.size()}, &manifest, pb::JsonParseOptions());
  if (!parsed.ok()) {
    return absl::DataLossError(FirstLine(std::string(parsed.message())));
  }
  const absl::Status status = CheckManifest(manifest);
  if (absl::IsInvalidArgument(status))
    return absl::DataLossError(status.message());
  PODSIM_RETURN_IF_ERROR(status);
  return manifest;
}

}  // namespace podsim
