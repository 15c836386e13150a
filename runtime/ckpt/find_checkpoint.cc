#include "runtime/ckpt/find_checkpoint.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"

namespace podsim {

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
  return absl::NotFoundError(
      absl::StrCat(directory,
                   " holds no checkpoint; give a model_dir, or one of its "
                   "directories named after a step"));
}

}  // namespace podsim
