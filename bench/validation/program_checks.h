// Checks of what a chip's program holds: the products of one training step of
// published models, and their work. Pure.
#ifndef PODSIM_BENCH_VALIDATION_PROGRAM_CHECKS_H_
#define PODSIM_BENCH_VALIDATION_PROGRAM_CHECKS_H_

#include <vector>

#include "bench/validation/check.h"

namespace podsim::validation {

// What must hold. A second, most of it the models' compilation.
std::vector<Check> HeldProgramChecks();

}  // namespace podsim::validation

#endif  // PODSIM_BENCH_VALIDATION_PROGRAM_CHECKS_H_
