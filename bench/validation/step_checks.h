// Checks of whole steps on whole slices beside published ones: compute, sums of
// gradients, the fixed cost of a step. Pure.
#ifndef PODSIM_BENCH_VALIDATION_STEP_CHECKS_H_
#define PODSIM_BENCH_VALIDATION_STEP_CHECKS_H_

#include <vector>

#include "bench/validation/check.h"
#include "bench/validation/op_profiles.h"
#include "bench/validation/published_models.h"

namespace podsim::validation {

// What must hold. `models`: those of ReadPublishedModels; `ops`: of ReadOpRows,
// for the fits that leave a model out.
std::vector<Check> HeldStepChecks(const std::vector<PublishedModel>& models,
                                  const std::vector<OpRow>& ops);
// What is shown besides.
std::vector<Check> OtherStepChecks(const std::vector<PublishedModel>& models);

}  // namespace podsim::validation

#endif  // PODSIM_BENCH_VALIDATION_STEP_CHECKS_H_
