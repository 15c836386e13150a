// What a job with a program of the caller's own may ask for: it runs as a pod
// in one process (host/process/in_process_pod.h), which does less than
// pod_launch does. Pure.
#ifndef PODSIM_RUNTIME_JOB_OWN_PROGRAM_H_
#define PODSIM_RUNTIME_JOB_OWN_PROGRAM_H_

#include "absl/status/status.h"
#include "models/graph/program.h"
#include "proto/job.pb.h"

namespace podsim {

// Every setting that is set is one that such a pod obeys, and does not
// contradict the program. A setting that nobody listed here is refused.
// Errors: INVALID_ARGUMENT, naming the setting and what to do instead.
absl::Status CheckOwnProgram(const JobSpec& spec, const Program& program);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_OWN_PROGRAM_H_
