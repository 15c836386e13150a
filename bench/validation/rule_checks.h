// What each rule of fusion is worth: ResNet-50's published step with single
// rules turned off. Pure.
#ifndef PODSIM_BENCH_VALIDATION_RULE_CHECKS_H_
#define PODSIM_BENCH_VALIDATION_RULE_CHECKS_H_

#include <vector>

#include "bench/validation/check.h"
#include "bench/validation/published_models.h"

namespace podsim::validation {

// What must hold. `models`: those of ReadPublishedModels.
std::vector<Check> HeldRuleChecks(const std::vector<PublishedModel>& models);

}  // namespace podsim::validation

#endif  // PODSIM_BENCH_VALIDATION_RULE_CHECKS_H_
