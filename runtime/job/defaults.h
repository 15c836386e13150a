// Defaults: what a JobSpec means where it says nothing.
#ifndef PODSIM_RUNTIME_JOB_DEFAULTS_H_
#define PODSIM_RUNTIME_JOB_DEFAULTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "interconnect/topology/slice.h"
#include "proto/job.pb.h"
#include "runtime/job/recipe.h"

namespace podsim {

// A pod of more hosts than this is packed into so many processes.
inline constexpr int kMostDefaultProcesses = 8;

// The documented defaults that no recipe has a say in.
void FillGeneralDefaults(JobSpec& spec);
// Those for hosts that run elsewhere, to be filled in before.
void FillExternalDefaults(JobSpec& spec);

// The slice that `spec` names. Errors: INVALID_ARGUMENT ("topology: ...").
absl::StatusOr<Slice> SliceOf(const JobSpec& spec);

// Whether `spec` says the batch per core: itself, as its global batch, or as a
// reference batch on a reference slice has it.
bool HasBatch(const JobSpec& spec);

// The batch per core that `spec` asks for: itself, or as its global batch or
// as a reference batch on a reference slice has it; `otherwise` if it does not.
// Errors: INVALID_ARGUMENT (a batch that does not divide; unknown reference
// slice).
absl::StatusOr<std::int64_t> SpecBatchPerCore(const JobSpec& spec,
                                              const Slice& slice,
                                              std::int64_t otherwise);

// The reference batch that `spec` names; 0 if it names none. A reference slice
// without a batch has the same batch per core. Errors: INVALID_ARGUMENT
// (unknown slice; a batch that does not divide by its cores).
absl::StatusOr<std::int64_t> SpecReferenceBatch(const JobSpec& spec,
                                                std::int64_t batch_per_core);

// Whether the job says what a recipe would: slice, data set, batch, length and
// rate. `what`: "dataset=csv", "a program of your own".
// Errors: INVALID_ARGUMENT, naming what is missing.
absl::Status CheckComplete(const JobSpec& spec, const std::string& what);

// A job that has its own length and its own rate, and names no reference:
// nothing of it is scaled. Its lr_scaling becomes "none", but for a
// base_learning_rate, whose reference is its unit.
// Errors: INVALID_ARGUMENT (it asks for another rule).
absl::Status FillAsTyped(JobSpec& spec);

// Length, rate and warm-up from the recipe where `spec` is silent, written for
// the reference that `spec` names, else for the recipe's, which is then written
// too. Nothing for a job that is taken as typed. A job with a length of its own
// gets no warm-up here: it depends on that (schedule.h).
absl::Status FillScheduleDefaults(const Recipe& recipe,
                                  std::int64_t batch_per_core, JobSpec& spec);

// The fields that `asked` leaves to the recipe: those of the network, the batch
// and the schedule that `filled`, made of it by ApplyRecipe, has beyond it.
std::vector<std::string> FromRecipe(const JobSpec& asked,
                                    const JobSpec& filled);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_DEFAULTS_H_
