// Directories of a store that come and go as one, on stores that rename and on
// those that only copy: there the marker counts, and it goes first.
#ifndef PODSIM_HOST_CHECKPOINT_DIRECTORY_MOVE_H_
#define PODSIM_HOST_CHECKPOINT_DIRECTORY_MOVE_H_

#include <string>

#include "absl/status/status.h"
#include "host/storage/storage.h"

namespace podsim {

// Errors of all: the store's.
absl::Status DeleteIfThere(ObjectStore& store, const std::string& directory);
// The marker, then the rest: half of it is no checkpoint.
absl::Status DeleteUnmarkedFirst(ObjectStore& store,
                                 const std::string& directory);
// The files directly in `from`, over those of the same name in `to`.
absl::Status CopyFiles(ObjectStore& store, const std::string& from,
                       const std::string& to);
// Renames, or copies and deletes.
absl::Status MoveDirectory(ObjectStore& store, const std::string& from,
                           const std::string& to);

}  // namespace podsim

#endif  // PODSIM_HOST_CHECKPOINT_DIRECTORY_MOVE_H_
