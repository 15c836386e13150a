// Checks of the time of one kernel: ops of published profiles, products and
// copies. All pure.
#ifndef PODSIM_BENCH_VALIDATION_KERNEL_CHECKS_H_
#define PODSIM_BENCH_VALIDATION_KERNEL_CHECKS_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "bench/validation/check.h"
#include "bench/validation/op_profiles.h"
#include "interconnect/topology/chip.h"

namespace podsim::validation {

// What must hold of the ops of v3 (ReadOpRows), and what holds nothing.
std::vector<Check> HeldOpChecks(const std::vector<OpRow>& ops);
std::vector<Check> OtherOpChecks(const std::vector<OpRow>& ops);

// Of single products and copies, likewise.
std::vector<Check> HeldProductChecks();
std::vector<Check> OtherProductChecks();

// SpreadAround `value`, which is of the generation's figures and no network.
using ValueOn = absl::FunctionRef<double(const ChipFigures& chip)>;
Spread SpreadOfKernels(double value, const Generation& generation,
                       ValueOn value_on);

}  // namespace podsim::validation

#endif  // PODSIM_BENCH_VALIDATION_KERNEL_CHECKS_H_
