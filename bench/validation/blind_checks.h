// What was forecast before it was looked at, and how near that came.
#ifndef PODSIM_BENCH_VALIDATION_BLIND_CHECKS_H_
#define PODSIM_BENCH_VALIDATION_BLIND_CHECKS_H_

#include <vector>

#include "bench/validation/check.h"
#include "bench/validation/published_models.h"

namespace podsim::validation {

// REQUIRES: `models` and `blind` have each blind step's model.
std::vector<Check> BlindChecks(const std::vector<PublishedModel>& models,
                               const std::vector<PublishedModel>& blind);

}  // namespace podsim::validation

#endif  // PODSIM_BENCH_VALIDATION_BLIND_CHECKS_H_
