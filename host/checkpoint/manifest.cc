#include "host/checkpoint/manifest.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/checkpoint/layout.h"
#include "host/checkpoint/safetensors.h"
#include "host/checkpoint/sums.h"

namespace podsim {
namespace {

namespace pb = google::protobuf::util;

// Whole numbers up to here are exact in every reader of the metrics, and no job
// comes near: a thousand a second for a quarter of a million years.
constexpr std::int64_t kMostExamples = std::int64_t{1} << 53;

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

// Nothing: its shape is none, or larger than any file.
std::optional<std::int64_t> BytesOf(const CheckpointTensor& tensor) {
  std::int64_t bytes = sizeof(float);
  for (const std::int64_t dim : tensor.shape())
    if (dim < 0 || __builtin_mul_overflow(bytes, dim, &bytes))
      return std::nullopt;
  return bytes;
}

// What a file claims to have fits what lies in it; so does the sum of all.
absl::Status CheckSizes(const CheckpointManifest& manifest) {
  std::map<std::string, std::int64_t> payload;
  std::int64_t all = 0;  // bytes of tensors, then of files
  for (const CheckpointTensor& tensor : manifest.tensors()) {
    const auto bytes = BytesOf(tensor);
    if (!bytes || __builtin_add_overflow(all, *bytes, &all))
      return absl::InvalidArgumentError(
          absl::StrCat("tensor ", tensor.name(), " has no shape of a tensor"));
    payload[tensor.file()] += *bytes;
  }
  constexpr std::int64_t kMostBeside =
      kSafetensorsLengthBytes + kMaxSafetensorsHeaderBytes;
  for (const CheckpointFile& file : manifest.files()) {
    const std::int64_t beside = file.bytes() - payload[file.name()];
    if (beside < kSafetensorsLengthBytes || beside > kMostBeside ||
        __builtin_add_overflow(all, beside, &all))
      return absl::InvalidArgumentError(
          absl::StrCat(file.name(), " has ", file.bytes(),
                       " bytes, its tensors have ", payload[file.name()]));
  }
  return absl::OkStatus();
}

// The batch that the plan's bits stand for; 0: they stand for none.
std::int64_t GlobalBatch(const PlanBits& bits) {
  const std::int64_t cores = std::int64_t{bits.hosts()} * bits.cores_per_host();
  std::int64_t batch = 0;
  if (bits.hosts() < 1 || bits.cores_per_host() < 1 ||
      bits.batch_per_core() < 1 ||
      __builtin_mul_overflow(cores, bits.batch_per_core(), &batch))
    return 0;
  return batch;
}

// The account adds up: steps times batch are examples.
absl::Status CheckCounts(const Stint& stint) {
  std::int64_t examples = 0;
  if (stint.last_step() > stint.first_step() && stint.global_batch() > 0 &&
      !__builtin_mul_overflow(stint.last_step() - stint.first_step(),
                              stint.global_batch(), &examples) &&
      examples == stint.end_example() - stint.first_example())
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the stint on ", stint.slice(), " has ",
                   stint.last_step() - stint.first_step(), " steps of ",
                   stint.global_batch(), " examples, which are not its ",
                   stint.end_example() - stint.first_example(), " examples"));
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
    PODSIM_RETURN_IF_ERROR(CheckCounts(stint));
    if (stint.end_example() > kMostExamples)
      return absl::InvalidArgumentError(
          absl::StrCat("the stint on ", stint.slice(), " ends at example ",
                       stint.end_example(), ", more than any job has"));
    step = stint.last_step();
    example = stint.end_example();
  }
  if (step != manifest.step() || example != manifest.examples_consumed())
    return absl::InvalidArgumentError(
        absl::StrCat("its stints end at step ", step, " and example ", example,
                     ", it is of step ", manifest.step(), " and example ",
                     manifest.examples_consumed()));
  const std::int64_t batch = GlobalBatch(manifest.bits());
  const Stint* last = manifest.stints().empty()
                          ? nullptr
                          : &manifest.stints(manifest.stints_size() - 1);
  if (last == nullptr || (batch > 0 && last->global_batch() == batch))
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("its last stint has a batch of ", last->global_batch(),
                   ", its plan one of ", batch));
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
  PODSIM_RETURN_IF_ERROR(CheckSizes(manifest));
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
