// The part of a plan that decides bits, and its hash (HashOf in planner.h).
#ifndef PODSIM_RUNTIME_JOB_PLAN_BITS_H_
#define PODSIM_RUNTIME_JOB_PLAN_BITS_H_

#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "interconnect/collectives/choose.h"
#include "models/graph/program.h"
#include "proto/job.pb.h"
#include "runtime/job/resolved_job.h"

namespace podsim {

// The kernel level: the pod's common one unless the spec asks for a lower one.
// Errors: INVALID_ARGUMENT (the spec asks for a higher one).
absl::StatusOr<std::string> ChooseIsa(const JobSpec& spec,
                                      const std::string& common_isa);

// What is known before schedule, model and program.
void FillNumerics(const ResolvedJob& job, const DatasetConfig& dataset,
                  const std::string& isa, PlanBits& bits);
// Errors: those of FillNumbers.
absl::Status FillModelConfig(const JobSpec& spec, const DatasetConfig& dataset,
                             ModelConfig& model);
// What model_config says, of any names.
// Errors: INVALID_ARGUMENT (no NAME=N; a name that is given twice).
absl::Status FillNumbers(const JobSpec& spec, ModelConfig& model);
// The gradient buckets, and which algorithm sums each: "auto" goes by `table`.
void FillBuckets(const ResolvedJob& job, const Program& program,
                 std::span<const ChoiceRow> table, PlanBits& bits);
// The all-reduces in the middle of a pass. REQUIRES: CheckGroups.
void FillExchanges(const ResolvedJob& job, const Program& program,
                   std::span<const ChoiceRow> table, PlanBits& bits);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_PLAN_BITS_H_
