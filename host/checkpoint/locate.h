// Where the files of a checkpoint lie, wherever it was copied from. Nothing
// here changes anything on the store. Errors of all: the store's.
#ifndef PODSIM_HOST_CHECKPOINT_LOCATE_H_
#define PODSIM_HOST_CHECKPOINT_LOCATE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "host/storage/storage.h"

namespace podsim {

// The directory of the files, and whether a marker says so; on a store that
// renames nothing has to.
struct Located {
  std::string files;
  bool marked = true;
};
// Of the checkpoint at `path`: as its marker says, or without one beside or
// below it. Errors besides: FAILED_PRECONDITION (unfinished: none are there).
absl::StatusOr<Located> Locate(ObjectStore& store, const std::string& path);

// Located::files alone.
absl::StatusOr<std::string> FilesOf(ObjectStore& store,
                                    const std::string& path);

// On a store without renames: whether it has a marker.
absl::StatusOr<bool> IsCommitted(ObjectStore& store, const std::string& path);

// The SHA-256 of the manifest in the directory of its files; empty: there is
// none, or it is larger than any can be.
absl::StatusOr<std::string> HashOfManifest(ObjectStore& store,
                                           const std::string& files);

// Of a file that is not found: OK if a listing that is begun now lacks it, too.
// One answer of a store decides nothing; a disk's does.
absl::Status CheckIsMissing(ObjectStore& store, const std::string& path,
                            const std::string& name);

}  // namespace podsim

#endif  // PODSIM_HOST_CHECKPOINT_LOCATE_H_
