// Whether a job fits: the core's HBM, which is the chip's, and this machine's
// memory, which is the emulator's.
#ifndef PODSIM_RUNTIME_JOB_FIT_H_
#define PODSIM_RUNTIME_JOB_FIT_H_

#include <cstdint>

#include "absl/status/status.h"
#include "models/graph/program.h"
#include "proto/job.pb.h"
#include "runtime/job/resolved_job.h"

namespace podsim {

// Fills what a core holds and what emulating takes. REQUIRES: the plan's batch
// of an evaluation, its processes and reduction are filled.
// Errors: RESOURCE_EXHAUSTED (beyond the core's HBM: the table, and the largest
// batch that fits). This machine's memory is not asked: a plan needs none.
absl::Status FillMemory(const Program& program, const ResolvedJob& job,
                        JobPlan& plan);

// Bytes of this machine that a run needs. REQUIRES: a plan of FillMemory.
std::int64_t MachineBytes(const JobPlan& plan);

// Whether a run may begin: `available` bytes are there (0: not asked), or
// `allowed` if that is not 0 (host_memory_bytes).
// Errors: RESOURCE_EXHAUSTED (memory needed and there, and what would fit).
absl::Status AdmitToMachine(const JobPlan& plan, std::int64_t available,
                            std::int64_t allowed);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_FIT_H_
