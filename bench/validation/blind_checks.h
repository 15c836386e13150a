// What was forecast before it was looked at, and how near that came.
#ifndef PODSIM_BENCH_VALIDATION_BLIND_CHECKS_H_
#define PODSIM_BENCH_VALIDATION_BLIND_CHECKS_H_

#include <vector>

#include "bench/validation/check.h"
#include "bench/validation/published_models.h"

namespace podsim::validation {

// All of these. REQUIRES: `known` and `blind` have each blind step's model.

// What was written down, beside what was published. Nothing is held: neither
// changes any more.
Check FixedBlindCheck(const std::vector<PublishedModel>& known,
                      const std::vector<PublishedModel>& blind);

// The same steps today; and those whose figures hold more than a step.
std::vector<Check> OtherBlindChecks(const std::vector<PublishedModel>& known,
                                    const std::vector<PublishedModel>& blind);

}  // namespace podsim::validation

#endif  // PODSIM_BENCH_VALIDATION_BLIND_CHECKS_H_
