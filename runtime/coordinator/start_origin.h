// What a pod that goes on from a checkpoint does not have in common with the
// one that made it. Pure.
#ifndef PODSIM_RUNTIME_COORDINATOR_START_ORIGIN_H_
#define PODSIM_RUNTIME_COORDINATOR_START_ORIGIN_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "proto/checkpoint.pb.h"
#include "proto/job.pb.h"

namespace podsim {

struct StartOrigin {
  CheckpointManifest manifest;  // without files and tensors
  // The user said which ISA level it shall be.
  bool isa_asked = false;
};

// For people, one line each. `formed` is the plan of the pod that has formed: a
// draft does not know what the hosts run.
// Errors: FAILED_PRECONDITION (training would go on at a lower ISA level than
//   it began at, which changes bits, and nobody asked for that).
absl::StatusOr<std::vector<std::string>> CompareStart(const StartOrigin& origin,
                                                      const JobPlan& formed);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_COORDINATOR_START_ORIGIN_H_
