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
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "host/checkpoint/commit.h"
#include "host/storage/storage.h"

namespace podsim {

// REQUIRES of all: store.Conditional(model_dir). Errors: the announcement's,
// the store's.

// The object that marks `step` as committed.
std::string MarkerOf(const std::string& model_dir, std::int64_t step);

// Deletes what was listed below `directory`, unless it was written anew: those
// that markers are copied from first. What another has deleted meanwhile is
// gone as well.
absl::Status DeleteFiles(ObjectStore& store, const std::string& directory,
                         std::vector<ConditionalObjects::Listed> files);

// The files of the step's stamp become its checkpoint, and it is put on the
// record. REQUIRES: they are all there. Errors besides: ALREADY_EXISTS (another
// holding's is), NOT_FOUND (what the marker is copied from is not there any
// more).
absl::Status PublishObjects(HeldDir& held, const OwnStep& own);

// Of what is listed below the step's directory, its own files: below its stamp,
// or directly there.
std::vector<ConditionalObjects::Listed> FilesOfOwn(
    const std::vector<ConditionalObjects::Listed>& tree, const OwnStep& own);

// Announces that the step goes, and deletes `files` of it and its marker in the
// generations that were listed: what the marker is copied from, it, the
// manifest, and the rest.
absl::Status RemoveObjects(HeldDir& held, std::int64_t step,
                           std::vector<ConditionalObjects::Listed> files,
                           std::optional<std::int64_t> marker);

// Deletes what its marker is copied from, the marker, then the other files of a
// step of the record. False: what is there is not the record's (ownership.h),
// and stays.
absl::StatusOr<bool> RetireObjects(HeldDir& held, const OwnStep& own);

// Copies the files of a step of the record to `to`, its marker last, and then
// deletes those that it copied. REQUIRES: it is not another's (ownership.h).
absl::Status SetObjectsAside(HeldDir& held, const OwnStep& own,
                             const std::string& to);

}  // namespace podsim

#endif  // PODSIM_HOST_CHECKPOINT_OBJECT_COMMIT_H_
