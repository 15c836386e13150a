// What values a JobSpec may have, as job.proto says it. Says nothing about how
// fields fit together otherwise.
#ifndef PODSIM_RUNTIME_JOB_SPEC_CHECK_H_
#define PODSIM_RUNTIME_JOB_SPEC_CHECK_H_

#include "absl/status/status.h"
#include "interconnect/topology/slice.h"
#include "proto/job.pb.h"

namespace podsim {

// Errors: INVALID_ARGUMENT, one line: the field, its value, what is allowed.
absl::Status CheckSpec(const JobSpec& spec);

// REQUIRES: CheckSpec passed. Unset means kAuto.
WrapPolicy WrapOf(words::Wrap::Word wrap);
WrapPolicy WrapOf(const JobSpec& spec);
// The same, and whether it is twisted.
SliceOptions SliceOptionsOf(const JobSpec& spec);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_SPEC_CHECK_H_
