// What a host process opens and reads before it can train, as the assignment
// says: the data set, the program, the checkpoint.
#ifndef PODSIM_HOST_PROCESS_PREPARATION_H_
#define PODSIM_HOST_PROCESS_PREPARATION_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "host/input/dataset.h"
#include "host/storage/storage.h"
#include "host/train/trainer.h"
#include "models/graph/program.h"
#include "proto/coordinator.pb.h"
#include "proto/job.pb.h"

namespace podsim {

// This machine's, or "unknown".
std::string HostName();

// Errors: those of OpenDataset; FAILED_PRECONDITION (another one than the plan
//   was made for, both fingerprints).
absl::StatusOr<std::shared_ptr<const Dataset>> OpenPlannedDataset(
    const JobPlan& plan, ObjectStore& store);

// The one that the plan carries, checked. Errors: those of ProgramOf.
absl::StatusOr<std::shared_ptr<const Program>> PlannedProgram(
    const JobPlan& plan);

// Whether this process sees the coordinator's model_dir: a directory of that
// name may be there without being it.
// Errors: FAILED_PRECONDITION (it is not; says what to do); the store's.
absl::Status CheckShared(ObjectStore& store, const Assignment& assignment);

// Where training begins: with the checkpoint that `from` names, all its bytes
// checked, or (none named) with the program's own start.
// Errors: FAILED_PRECONDITION (another checkpoint lies there); those of
//   ReadManifest and ReadVariables.
absl::StatusOr<StartState> Restore(ObjectStore& store, const StartPoint& from,
                                   const Program& program);

}  // namespace podsim

#endif  // PODSIM_HOST_PROCESS_PREPARATION_H_
