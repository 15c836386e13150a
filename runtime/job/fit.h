// Whether a job fits: the core's HBM and this machine's memory.
#ifndef PODSIM_RUNTIME_JOB_FIT_H_
#define PODSIM_RUNTIME_JOB_FIT_H_

#include <cstdint>

#include "absl/status/status.h"
#include "models/graph/program.h"
#include "runtime/job/resolved_job.h"

namespace podsim {

struct FitLimits {
  std::int64_t eval_batch_per_core = 1;
  int processes = 1;
  std::int64_t microbatches = 0;  // per core; 0: rows are not summed as a tree
  std::int64_t memory_bytes = 0;  // of this machine; 0: not checked
};

// Errors: RESOURCE_EXHAUSTED (the HBM table and the largest batch that fits;
// memory needed and there).
absl::Status CheckFits(const Program& program, const ResolvedJob& job,
                       const FitLimits& limits);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_FIT_H_
