// What the hashes in a step's reports say: whether all replicas still have the
// same bits, and whether a host computes what others compute. Pure.
#ifndef PODSIM_RUNTIME_COORDINATOR_CORRUPTION_H_
#define PODSIM_RUNTIME_COORDINATOR_CORRUPTION_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "proto/coordinator.pb.h"
#include "proto/job.pb.h"

namespace podsim {

// DATA_LOSS that names tensor, host and step, and the host to blame; or OK.
struct Corruption {
  absl::Status status;
  int host = -1;
};

// `reports`: those of one step, by host; all hosts'. The reduced gradients and
// the updated weights must be equal bit for bit.
Corruption CheckReplicas(const PlanBits& bits,
                         const std::map<int, StepReport>& reports);

// Of an audited step: what the host added to the sum against what its auditors
// computed. Of three votes one is wrong; with two it stays open which.
Corruption CheckAudit(const std::map<int, StepReport>& reports);

// The index of the first value that differs from what most others say (in a
// tie, from what the earliest says); nullopt when all agree.
std::optional<int> FindDissenter(const std::vector<std::string>& values);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_COORDINATOR_CORRUPTION_H_
