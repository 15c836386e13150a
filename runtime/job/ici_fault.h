// "link:(3,1)-(4,1):0.25": a link of the simulated pod and what is left of its
// rate. Pure.
#ifndef PODSIM_RUNTIME_JOB_ICI_FAULT_H_
#define PODSIM_RUNTIME_JOB_ICI_FAULT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "interconnect/topology/slice.h"
#include "proto/job.pb.h"

namespace podsim {

// Whether the link exists is for CheckNetwork to say.
// Errors: INVALID_ARGUMENT, saying how it is written.
absl::StatusOr<LinkFault> ParseIciFault(const std::string& text);

// `slice` as it is priced for the job: with the fault of its ici_fault, if it
// has one. Errors: those of ParseIciFault; INVALID_ARGUMENT (the slice has no
// such link).
absl::StatusOr<Slice> WithIciFault(Slice slice, const JobSpec& spec);
// The same for several, of which some may have no such link: they stay as they
// are. Errors: those of the first slice, if none has it.
absl::StatusOr<std::vector<Slice>> WithIciFault(std::vector<Slice> slices,
                                                const JobSpec& spec);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_ICI_FAULT_H_
