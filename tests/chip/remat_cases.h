// What tests of FuseWithin ask of its results.
#ifndef PODSIM_TESTS_CHIP_REMAT_CASES_H_
#define PODSIM_TESTS_CHIP_REMAT_CASES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "chip/remat.h"

namespace podsim::testing {

// 1 TFLOP/s for the matrix unit and for the vector unit, 100 GB/s, 1 us.
RematOptions RoundRates(std::int64_t rows, double hbm_bytes);

// The products that are recomputed, in the order in which they were chosen.
std::vector<std::string> NamesOf(const std::vector<Recomputed>& recomputed);

// Of products, useful ones.
double ProductFlops(const ChipProgram& program);
double FlopsOf(const std::vector<Recomputed>& recomputed);
double SecondsOf(const std::vector<Recomputed>& recomputed);

// How often kernels make random bits.
int RandomKernels(const ChipGraph& graph, const ChipProgram& program);

// Each node stands behind those that make its operands, and before the update
// of a weight that it reads.
void ExpectOrder(const ChipGraph& graph);

// Each value of `plain` is made in `remat` by the same ops of the same values,
// as far as anything makes it: names that end in "/again" stand for what they
// are clones of.
void ExpectSameValues(const ChipGraph& plain, const ChipGraph& remat);

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_CHIP_REMAT_CASES_H_
