// A job on its way to a plan: shared by the planner's parts.
#ifndef PODSIM_RUNTIME_JOB_RESOLVED_JOB_H_
#define PODSIM_RUNTIME_JOB_RESOLVED_JOB_H_

#include <cstdint>

#include "interconnect/topology/slice.h"
#include "proto/job.pb.h"

namespace podsim {

// A complete spec and what follows from it alone.
struct ResolvedJob {
  JobSpec spec;
  Slice slice;
  std::int64_t batch_per_core = 0;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_RESOLVED_JOB_H_
