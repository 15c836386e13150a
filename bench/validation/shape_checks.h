// Checks of the time of products by the shape of their result: what chip/ runs
// of published models beside what their compiled programs ran. Pure.
#ifndef PODSIM_BENCH_VALIDATION_SHAPE_CHECKS_H_
#define PODSIM_BENCH_VALIDATION_SHAPE_CHECKS_H_

#include <vector>

#include "bench/validation/check.h"
#include "bench/validation/op_profiles.h"
#include "bench/validation/published_models.h"

namespace podsim::validation {

// What must hold. `ops`: ReadOpRows of v3; `models`: ReadPublishedModels.
std::vector<Check> HeldShapeChecks(const std::vector<OpRow>& ops,
                                   const std::vector<PublishedModel>& models);

}  // namespace podsim::validation

#endif  // PODSIM_BENCH_VALIDATION_SHAPE_CHECKS_H_
