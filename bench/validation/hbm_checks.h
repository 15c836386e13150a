// Checks of what fits a core's HBM: batches that published runs had, and
// batches that no core can hold. Pure.
#ifndef PODSIM_BENCH_VALIDATION_HBM_CHECKS_H_
#define PODSIM_BENCH_VALIDATION_HBM_CHECKS_H_

#include <vector>

#include "bench/validation/check.h"
#include "bench/validation/published_models.h"

namespace podsim::validation {

// What must hold. `models`: those of ReadPublishedModels.
std::vector<Check> HeldHbmChecks(const std::vector<PublishedModel>& models);

}  // namespace podsim::validation

#endif  // PODSIM_BENCH_VALIDATION_HBM_CHECKS_H_
