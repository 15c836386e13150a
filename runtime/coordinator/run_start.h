// Where a generation of the pod begins: with which checkpoint of which
// directory, and what people should know about it.
//
//   PODSIM_ASSIGN_OR_RETURN(RunStart start, FindStart(*store, spec, draft));
#ifndef PODSIM_RUNTIME_COORDINATOR_RUN_START_H_
#define PODSIM_RUNTIME_COORDINATOR_RUN_START_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "host/checkpoint/held_dir.h"
#include "host/storage/storage.h"
#include "proto/checkpoint.pb.h"
#include "proto/coordinator.pb.h"
#include "proto/job.pb.h"
#include "runtime/coordinator/start_origin.h"

namespace podsim {

struct RunStart {
  StartPoint point;
  google::protobuf::RepeatedPtrField<Stint> history;  // before the start
  // One line each: what was refused.
  std::vector<std::string> notes;
  // To be compared with the plan of the pod that forms; none: from the seed.
  std::optional<StartOrigin> origin;
  // The checkpoint, if it lies in the plan's model_dir and training goes on.
  std::optional<OwnStep> resumed;
  std::int64_t stamp = 0;  // of this generation's unfinished checkpoints
};

// The checkpoint that spec.restore names, or the newest good one of the plan's
// model_dir, or (none there) the seed. Reads and checks every byte of it;
// changes nothing. An evaluation wants its weights alone; with
// spec.restore_weights_only so does training, which then begins with step 1 and
// the first example.
// What else lies in a model_dir that is saved into is named in a note.
// Errors: FAILED_PRECONDITION (a checkpoint that is not on the record there
//   comes after the start, or one in a folder of another step's name),
//   DATA_LOSS (the named one is damaged), NOT_FOUND (there is none, and one is
//   needed), INVALID_ARGUMENT (tensors that are not the model's, naming them;
//   another data set or seed); those of the store.
absl::StatusOr<RunStart> FindStart(ObjectStore& store, const JobSpec& spec,
                                   const JobPlan& plan);

// Whether FindStart would begin with a checkpoint: none of them is read. One
// that is damaged may yet make FindStart refuse the job. Errors: the store's.
absl::StatusOr<bool> GoesOn(ObjectStore& store, const JobSpec& spec,
                            const JobPlan& plan);

// Where a run that goes on begins, and how much is left of the job. A job is a
// number of examples: its steps are counted with the batch that it has now,
// those of the checkpoint with the batches that it was trained with.
std::string DescribeStart(const StartPoint& start, const JobPlan& plan);

// Prepares a model_dir that is held for this generation: removes what killed
// ones of its record left unfinished, puts the stamp and the checkpoint that is
// gone on from on the record, sets newer ones of the record aside, leaves a
// witness (StartPoint.witness).
// Errors: those of the store (a directory that cannot be written).
absl::Status PrepareModelDir(HeldDir& held, std::int64_t stamp,
                             RunStart& start);
// Removes the witness.
void LeaveModelDir(const HeldDir& held, std::int64_t stamp);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_COORDINATOR_RUN_START_H_
