// Which checkpoints there are, and which of them are to be trusted.
//
//   PODSIM_ASSIGN_OR_RETURN(Newest newest, FindNewestGood(store, model_dir));
//   for (const std::string& line : newest.refused) Log(..., line);
//   if (newest.checkpoint) ReadVariables(store, *newest.checkpoint, program);
//
// Nothing here changes anything on the store.
#ifndef PODSIM_HOST_CHECKPOINT_CATALOG_H_
#define PODSIM_HOST_CHECKPOINT_CATALOG_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "host/checkpoint/folders.h"
#include "host/checkpoint/locate.h"
#include "host/storage/storage.h"
#include "proto/checkpoint.pb.h"

namespace podsim {

struct CheckpointAt {
  std::string path;   // its directory
  std::string files;  // where its files lie: there, or below it (layout.h)
  std::int64_t step = 0;
  CheckpointManifest manifest;
  std::string manifest_sha256;
};

// As a job's record has it.
OwnStep OwnStepOf(const CheckpointAt& at);

// Those of LookAt (folders.h), ascending; a missing model_dir has none.
// Errors: INVALID_ARGUMENT (model_dir is a file), the store's.
absl::StatusOr<std::vector<std::int64_t>> ListSteps(
    ObjectStore& store, const std::string& model_dir);
// Whether a step that was listed still is: a running job may have deleted it.
absl::StatusOr<bool> IsStillThere(ObjectStore& store,
                                  const std::string& model_dir,
                                  std::int64_t step);

// The manifest at `path` (a checkpoint's directory, wherever it lies), checked
// against SHA256SUMS, and the directory against both: every file is there with
// its length, and no other. Reads no tensors.
// Errors: NOT_FOUND (no such directory), FAILED_PRECONDITION (unfinished,
//   another format, or RenamedFrom of renamed.h), DATA_LOSS (what is wrong,
//   naming the file), the store's.
absl::StatusOr<CheckpointAt> ReadManifest(ObjectStore& store,
                                          const std::string& path);

// The same, and every byte of every file. Errors: as ReadManifest.
absl::StatusOr<CheckpointAt> VerifyCheckpoint(ObjectStore& store,
                                              const std::string& path);

struct Newest {
  Folders folders;                         // all that was listed
  std::optional<CheckpointAt> checkpoint;  // verified, byte for byte
  std::vector<std::string> refused;  // newer ones: one line each, newest first
  std::string renamed;  // of them the newest that is RenamedFrom; empty: none
};

// One that vanishes while it is read (a running job deletes old ones) makes it
// look anew. Damaged ones and those that cannot be read (a disk's I/O error, a
// link loop, no permission) are passed over, and so are renamed ones. With
// `refused` and no checkpoint there is training to lose: whoever would begin
// anew should ask first. Errors: those of ReadManifest that speak of this
// program and not of the
//   checkpoint (another format, too many open files); the store's on model_dir
//   itself.
absl::StatusOr<Newest> FindNewestGood(ObjectStore& store,
                                      const std::string& model_dir);

// An error of ReadManifest or VerifyCheckpoint that says more of the
// checkpoint, or of the disk below it, than of this program: another may be
// good. A store of objects that does not answer says nothing of one.
bool SpeaksOfTheCheckpoint(const ObjectStore& store, const std::string& path,
                           const absl::Status& status);

}  // namespace podsim

#endif  // PODSIM_HOST_CHECKPOINT_CATALOG_H_
