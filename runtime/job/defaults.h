// Defaults: what a JobSpec means where it says nothing.
#ifndef PODSIM_RUNTIME_JOB_DEFAULTS_H_
#define PODSIM_RUNTIME_JOB_DEFAULTS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "interconnect/topology/slice.h"
#include "proto/job.pb.h"
#include "runtime/job/recipe.h"

namespace podsim {

inline constexpr char kDefaultTopology[] = "v3-32";
// A pod of more hosts than this is packed into so many processes.
inline constexpr int kMostDefaultProcesses = 8;

// The documented defaults that no recipe has a say in.
void FillGeneralDefaults(JobSpec& spec);
// Those for hosts that run elsewhere, to be filled in before.
void FillExternalDefaults(JobSpec& spec);

// The slice that `spec` names. Errors: INVALID_ARGUMENT ("topology: ...").
absl::StatusOr<Slice> SliceOf(const JobSpec& spec);

// The batch per core that `spec` asks for, `otherwise` if it does not.
// Errors: INVALID_ARGUMENT (a global batch that does not divide).
absl::StatusOr<std::int64_t> SpecBatchPerCore(const JobSpec& spec,
                                              const Slice& slice,
                                              std::int64_t otherwise);

// The reference batch that `spec` names; 0 if it names none. A reference slice
// has the same batch per core. Errors: INVALID_ARGUMENT (unknown slice).
absl::StatusOr<std::int64_t> SpecReferenceBatch(const JobSpec& spec,
                                                std::int64_t batch_per_core);

// Length, rate and warm-up from the recipe where `spec` is silent. They are
// written for the reference that `spec` names, else for the recipe's, which is
// then written too; only with train_steps of the user's own and no reference
// none is, and train_steps is taken as it stands.
absl::Status FillScheduleDefaults(const Recipe& recipe,
                                  std::int64_t batch_per_core,
                                  const Slice& slice, JobSpec& spec);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_DEFAULTS_H_
