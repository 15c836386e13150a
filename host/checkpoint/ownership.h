// Whose the folder of a step is: told by the manifest that lies there and by
// the hash that the record has of it, not by the step's number alone.
//
//   PODSIM_ASSIGN_OR_RETURN(const Whose whose, WhoseIs(store, path, own));
//   if (whose == Whose::kOwn)  // it may be deleted
//
// Nothing here changes anything on the store. Errors of all: the store's.
#ifndef PODSIM_HOST_CHECKPOINT_OWNERSHIP_H_
#define PODSIM_HOST_CHECKPOINT_OWNERSHIP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "host/checkpoint/folders.h"
#include "host/checkpoint/job_record.h"
#include "host/storage/storage.h"

namespace podsim {

enum class Whose : std::uint8_t {
  kOwn,       // the manifest has the record's hash, or SHA256SUMS says so of a
              // damaged one
  kUnknown,   // nothing tells: a disk reads neither, or pod_ckpt adopt took it
              // over damaged. May be set aside, and is never deleted
  kAnothers,  // is never deleted or moved
};

// Of the folder at `path` that has the name of the step of `own`.
absl::StatusOr<Whose> WhoseIs(ObjectStore& store, const std::string& path,
                              const OwnStep& own);
// The same of the directory of its files, if the record has a hash of it.
absl::StatusOr<Whose> WhoseAre(ObjectStore& store, const std::string& files,
                               const OwnStep& own);

// Of `folders.steps`, those that are not on the record, or are another's than
// the record has. On a store of objects manifests are read of steps after
// `begin` alone: as much is asked of a thousand checkpoints as of one.
absl::StatusOr<std::vector<std::int64_t>> FindStrangers(
    ObjectStore& store, const std::string& model_dir, const Folders& folders,
    std::int64_t begin);

}  // namespace podsim

#endif  // PODSIM_HOST_CHECKPOINT_OWNERSHIP_H_
