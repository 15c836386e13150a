// The checkpoint that a user means by a directory: itself, or a model_dir's
// newest good one. A numbered folder of a run, "runs/1", is a model_dir.
#ifndef PODSIM_RUNTIME_CKPT_FIND_CHECKPOINT_H_
#define PODSIM_RUNTIME_CKPT_FIND_CHECKPOINT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "host/checkpoint/catalog.h"
#include "host/storage/storage.h"

namespace podsim {

struct FoundCheckpoint {
  CheckpointAt at;
  std::vector<std::string> refused;  // newer ones in the model_dir: a line each
};

// What is wrong with the checkpoint at `path`; where it is damaged (DATA_LOSS),
// with what to do.
absl::Status WithWayOn(const absl::Status& status, const std::string& path);

// Errors: NOT_FOUND (neither), DATA_LOSS (damaged, or all of them), the
//   store's.
absl::StatusOr<FoundCheckpoint> FindCheckpoint(ObjectStore& store,
                                               const std::string& directory);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_CKPT_FIND_CHECKPOINT_H_
