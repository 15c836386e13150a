#include "runtime/ckpt/find_checkpoint.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "host/checkpoint/layout.h"

namespace podsim {
namespace {

// As after a copy of the weights alone.
bool HoldsParts(ObjectStore& store, const std::string& directory) {
  const absl::StatusOr<std::vector<std::string>> names = store.List(directory);
  return names.ok() &&
         std::any_of(names->begin(), names->end(), [](const std::string& name) {
           return name.ends_with(".safetensors");
         });
}

}  // namespace

absl::StatusOr<FoundCheckpoint> FindCheckpoint(ObjectStore& store,
                                               const std::string& directory) {
  absl::StatusOr<CheckpointAt> itself = ReadManifest(store, directory);
  if (itself.ok()) return FoundCheckpoint{.at = *std::move(itself)};
  if (!absl::IsNotFound(itself.status())) return itself.status();
  PODSIM_ASSIGN_OR_RETURN(Newest newest, FindNewestGood(store, directory));
  if (newest.checkpoint)
    return FoundCheckpoint{*std::move(newest.checkpoint),
                           std::move(newest.refused)};
  if (!newest.refused.empty())
    return absl::DataLossError(absl::StrCat(
        directory,
        " has no good checkpoint: ", absl::StrJoin(newest.refused, "; ")));
  if (HoldsParts(store, directory))
    return absl::NotFoundError(absl::StrCat(
        directory, " holds parts of a checkpoint without its ", kManifestName,
        "; copy the whole folder that is named after the step"));
  return absl::NotFoundError(
      absl::StrCat(directory,
                   " holds no checkpoint; give a model_dir, or one of its "
                   "directories named after a step"));
}

}  // namespace podsim
