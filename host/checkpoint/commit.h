// What changes a model_dir: a finished checkpoint gets its name, old ones go,
// unfinished ones are cleared away. One process calls these (the coordinator),
// one at a time; each may be stopped anywhere and called again.
//
//   CommitCheckpoint(held, stamp, manifest);
//   PruneCheckpoints(held, keep, proved);
//
// Only what the model_dir's record (job_record.h) says is a job's own is
// deleted or moved; everything else is left as it is.
#ifndef PODSIM_HOST_CHECKPOINT_COMMIT_H_
#define PODSIM_HOST_CHECKPOINT_COMMIT_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "absl/status/status.h"
#include "host/checkpoint/held_dir.h"
#include "host/storage/storage.h"
#include "proto/checkpoint.pb.h"

namespace podsim {

// Makes what the last holder of model_dir announced and perhaps did not come
// to. Before anything else. Errors: FAILED_PRECONDITION (no change of ours),
// the store's.
absl::Status FinishChange(HeldDir& held, const std::string& change);

// Parts lie in PartsPath(store, model_dir, step, stamp) already. Checks
// that all are there with their lengths, writes manifest.json and SHA256SUMS,
// puts the step on the record and renames the directory to <step>: from then on
// it is a checkpoint. On a store of objects writes the marker
// (object_commit.h). If <step> is there already with this plan hash and these
// examples (a step made again after a restart), keeps that and drops the
// unfinished one; a damaged <step> of the record is set aside, of objects
// deleted. Errors: INVALID_ARGUMENT, FAILED_PRECONDITION (the manifest; a part
//   is missing, of another length or too many; another job has taken the
//   model_dir over, naming it), ALREADY_EXISTS (<step> is another's), the
//   store's. Nothing committed is lost by any of them.
absl::Status CommitCheckpoint(HeldDir& held, std::int64_t stamp,
                              const CheckpointManifest& manifest);

// Deletes checkpoints of the record that have `keep` newer ones of it up to
// step `proved`; 0 keeps all. Those after `proved` neither count nor go: a step
// that begins with them may yet show that their training had diverged. Damaged
// ones do not count among those kept (looked at as ReadManifest does, not byte
// for byte). One that is not the record's any more (ownership.h) stays, and is
// taken off the record. One on its way out is renamed first, so that no half of
// it is ever taken for a checkpoint. One that the store refuses to delete keeps
// no other; a store of objects that does not answer is not asked again.
// `on_pruned` is told of each beyond `keep`: OK, it is gone; else why it stays.
// Errors: INVALID_ARGUMENT (keep is negative), the store's: the first, with how
// many stay.
using OnPruned =
    std::function<void(std::int64_t step, const absl::Status& status)>;
absl::Status PruneCheckpoints(
    HeldDir& held, int keep,
    std::int64_t proved = std::numeric_limits<std::int64_t>::max(),
    const OnPruned& on_pruned = {});

// Deletes what earlier runs left unfinished under a stamp of the record, or on
// its way out. REQUIRES: nobody is writing a checkpoint there.
absl::Status CleanUnfinished(HeldDir& held);

// Renames checkpoints of the record after `step`, where a run is about to
// begin, to <step>.set-aside-<stamp>: damaged ones that the run could not begin
// with, or those of a run that is to be taken up further back. Left in place,
// the next resume would take them and PruneCheckpoints would count them.
// REQUIRES: the record has begun `stamp`. Errors: ALREADY_EXISTS (what has the
// name of such a step is not what the record has of it, and stays), the
// store's.
absl::Status SetAsideNewer(HeldDir& held, std::int64_t step,
                           std::int64_t stamp);

}  // namespace podsim

#endif  // PODSIM_HOST_CHECKPOINT_COMMIT_H_
