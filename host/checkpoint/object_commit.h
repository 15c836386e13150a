// Checkpoints on a store of objects, which cannot rename and where a holder of
// the model_dir may be stopped, lose it, and go on as if it had not.
//
//   <model_dir>/
//     200/1785/manifest.json, ...    files of the holding with stamp 1785, with
//     200/1785/commit_success.txt    what is to be the marker among them
//     200/commit_success.txt         "1785": step 200 is committed, and is that
//
// A change is announced first (ObjectLease::Announce): that fails for who has
// lost the model_dir, and who takes it over finishes what was announced. What
// is then done can be done twice, by the old holder and the new. The marker is
// copied from one among the holding's own files, if there is none yet; who
// retires or clears those away deletes that one first, and nobody can commit
// them any more. It is deleted only in the generation that was announced. And
// everything else has the holding's stamp in its name, or was listed before the
// announcement.
#ifndef PODSIM_HOST_CHECKPOINT_OBJECT_COMMIT_H_
#define PODSIM_HOST_CHECKPOINT_OBJECT_COMMIT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "host/checkpoint/commit.h"
#include "host/storage/storage.h"

namespace podsim {

// REQUIRES of all: store.Conditional(model_dir). Errors: the announcement's,
// the store's.

// The files of `stamp` become the checkpoint of `step`. REQUIRES: they are all
// there. Errors besides: ALREADY_EXISTS (another holding's is),
// FAILED_PRECONDITION (another holding has cleared them away).
absl::Status PublishObjects(ObjectStore& store, const std::string& model_dir,
                            std::int64_t step, std::int64_t stamp,
                            const AnnounceChange& announce);

// The marker of `step` goes, then its files. OK: there is no marker.
absl::Status RetireObjects(ObjectStore& store, const std::string& model_dir,
                           std::int64_t step, const AnnounceChange& announce);

// Deletes the files of steps without a marker, and those in steps that are not
// the marker's.
absl::Status CleanObjects(ObjectStore& store, const std::string& model_dir,
                          const AnnounceChange& announce);

// Copies a step's files to `to`, its marker last, and retires it.
absl::Status SetObjectsAside(ObjectStore& store, const std::string& model_dir,
                             std::int64_t step, const std::string& to,
                             const AnnounceChange& announce);

// Paths of all files below a directory; none: there is no such directory.
absl::StatusOr<std::vector<std::string>> FilesBelow(
    ObjectStore& store, const std::string& directory);

}  // namespace podsim

#endif  // PODSIM_HOST_CHECKPOINT_OBJECT_COMMIT_H_
