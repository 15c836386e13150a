// A whole checkpoint in a folder that is named after another step: it is not
// damaged, nothing goes on from it, and it is never deleted or moved.
#ifndef PODSIM_HOST_CHECKPOINT_RENAMED_H_
#define PODSIM_HOST_CHECKPOINT_RENAMED_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "host/storage/storage.h"

namespace podsim {

// Of a checkpoint at `path` that holds `step`, with its files in the directory
// `files`: OK if its folder has that name, or that of no step. Errors:
// FAILED_PRECONDITION (renamed: what it holds, and what to do; or a numbered
// folder of a run, "runs/1", in which `files` is the step's folder).
absl::Status CheckName(ObjectStore& store, const std::string& path,
                       const std::string& files, std::int64_t step);

// Whether a readable manifest lies in the directory `files`, and is of another
// step. Errors: the store's.
absl::StatusOr<bool> HoldsAnotherStep(ObjectStore& store,
                                      const std::string& files,
                                      std::int64_t step);

// Of an error of CheckName, through every Annotate: the step that it holds;
// nothing: it is another error.
std::optional<std::int64_t> RenamedFrom(const absl::Status& status);

}  // namespace podsim

#endif  // PODSIM_HOST_CHECKPOINT_RENAMED_H_
