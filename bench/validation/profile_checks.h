// Checks of whole steps on one core: the time of all kernels of the chip's
// program, and what they move over HBM, beside published profiles. Pure.
#ifndef PODSIM_BENCH_VALIDATION_PROFILE_CHECKS_H_
#define PODSIM_BENCH_VALIDATION_PROFILE_CHECKS_H_

#include <vector>

#include "bench/validation/check.h"
#include "bench/validation/published_models.h"

namespace podsim::validation {

// What must hold. `models`: those of ReadPublishedModels.
std::vector<Check> HeldProfileChecks(const std::vector<PublishedModel>& models);
// What is shown besides.
std::vector<Check> OtherProfileChecks(
    const std::vector<PublishedModel>& models);

}  // namespace podsim::validation

#endif  // PODSIM_BENCH_VALIDATION_PROFILE_CHECKS_H_
