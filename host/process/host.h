// One host process from joining the pod to leaving it.
#ifndef PODSIM_HOST_PROCESS_HOST_H_
#define PODSIM_HOST_PROCESS_HOST_H_

#include <string>

#include "absl/status/status.h"
#include "base/signal_watch.h"
#include "host/process/host_options.h"

namespace podsim {

// Listens for frames, joins the coordinator, builds what the assignment says,
// trains, reports, leaves. Blocks until the job has ended. A failure has been
// reported to the coordinator when this returns it. Once the pod has
// formed for a job of steps, the first signal of `watch` is passed on to the
// coordinator as a wish to do so.
// Errors: as of CoordinatorLink, Trainer, OpenDataset, LoadKernels; ABORTED
//   when the job ended because of somebody else.
absl::Status RunHost(const HostOptions& options, const std::string& token,
                     const std::string& worker_hostnames, SignalWatch& watch);

}  // namespace podsim

#endif  // PODSIM_HOST_PROCESS_HOST_H_
