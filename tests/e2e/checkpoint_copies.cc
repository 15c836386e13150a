#include "tests/e2e/checkpoint_copies.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/hash.h"
#include "base/status.h"
#include "host/checkpoint/layout.h"
#include "host/checkpoint/manifest.h"
#include "host/checkpoint/sums.h"

namespace podsim::testing {
namespace {

// As the header of a part has it.
std::string StepField(std::int64_t step) {
  return absl::StrCat("\"step\":\"", step, "\"");
}

// As if its job had come to `step` in one stint.
void MoveTo(std::int64_t step, CheckpointManifest& manifest) {
  PODSIM_CHECK(manifest.stints_size() == 1);
  Stint& stint = *manifest.mutable_stints(0);
  const std::int64_t examples = step * stint.global_batch();
  stint.set_last_step(step);
  stint.set_end_example(examples);
  manifest.set_step(step);
  manifest.set_examples_consumed(examples);
}

}  // namespace

CheckpointCopies::CheckpointCopies(GcsDouble& objects,
                                   const std::string& bucket,
                                   const std::string& model_dir,
                                   std::int64_t step)
    : objects_(objects), bucket_(bucket) {
  const auto read = [&](const std::string& name) {
    const std::optional<std::string> bytes = objects.Bytes(bucket, name);
    PODSIM_CHECK(bytes.has_value());
    return *bytes;
  };
  const std::string marker =
      read(absl::StrCat(StepPath(model_dir, step), "/", kMarkerName));
  const std::string files = StampPath(model_dir, step, *ParseMarker(marker));
  auto manifest = ParseManifest(read(absl::StrCat(files, "/", kManifestName)));
  PODSIM_CHECK(manifest.ok());
  manifest_ = *std::move(manifest);
  for (const CheckpointFile& file : manifest_.files())
    parts_[file.name()] = read(absl::StrCat(files, "/", file.name()));
}

OwnStep CheckpointCopies::Put(const std::string& model_dir, std::int64_t step,
                              std::int64_t stamp) {
  CheckpointManifest manifest = manifest_;
  MoveTo(step, manifest);
  const std::string files = StampPath(model_dir, step, stamp);
  const auto put = [&](const std::string& name, const std::string& bytes) {
    objects_.Put(bucket_, absl::StrCat(files, "/", name), bytes);
  };
  Sums sums;
  for (CheckpointFile& file : *manifest.mutable_files()) {
    const std::string part =
        absl::StrReplaceAll(parts_.at(file.name()),
                            {{StepField(manifest_.step()), StepField(step)}});
    PODSIM_CHECK(static_cast<std::int64_t>(part.size()) == file.bytes());
    file.set_sha256(Sha256Hex(part));
    sums[file.name()] = file.sha256();
    put(file.name(), part);
  }
  const std::string json = ManifestJson(manifest);
  sums[kManifestName] = Sha256Hex(json);
  put(kManifestName, json);
  put(kSumsName, FormatSums(sums));
  const std::string marker = absl::StrCat(stamp, "\n");
  put(kMarkerName, marker);
  objects_.Put(bucket_,
               absl::StrCat(StepPath(model_dir, step), "/", kMarkerName),
               marker);
  return {.step = step, .stamp = stamp, .manifest_sha256 = sums[kManifestName]};
}

}  // namespace podsim::testing
