// Whole steps priced by constants that were fitted without them. Pure.
#ifndef PODSIM_BENCH_VALIDATION_LEFT_OUT_CHECKS_H_
#define PODSIM_BENCH_VALIDATION_LEFT_OUT_CHECKS_H_

#include <vector>

#include "bench/validation/check.h"
#include "bench/validation/op_profiles.h"
#include "bench/validation/published_models.h"

namespace podsim::validation {

// What must hold. `ops`: ReadOpRows of v3; `models`: ReadPublishedModels.
std::vector<Check> HeldLeftOutChecks(const std::vector<OpRow>& ops,
                                     const std::vector<PublishedModel>& models);

}  // namespace podsim::validation

#endif  // PODSIM_BENCH_VALIDATION_LEFT_OUT_CHECKS_H_
