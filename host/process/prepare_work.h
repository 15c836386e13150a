// From an assignment to work that only waits to be run: the data and the model,
// the other hosts, the faults that the plan wants, the trainer or the
// benchmark.
#ifndef PODSIM_HOST_PROCESS_PREPARE_WORK_H_
#define PODSIM_HOST_PROCESS_PREPARE_WORK_H_

#include "absl/status/status.h"
#include "host/process/host_run.h"
#include "proto/coordinator.pb.h"

namespace podsim {

// Fills run.work and what it stands on; blocks while the pod connects.
// `threads`: of this process, the one that polls among them; 0: as the plan
// says. REQUIRES: run.transport and run.link.
// Errors: those of OpenPlannedDataset, LoadKernels, Restore, Trainer and
//   BenchRun; those of GrpcTransport::Connect; why `run` was stopped.
absl::Status PrepareWork(const Assignment& assignment, int threads,
                         HostRun& run);

}  // namespace podsim

#endif  // PODSIM_HOST_PROCESS_PREPARE_WORK_H_
