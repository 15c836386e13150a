// The time of one kernel on a chip, from its work: matrix unit, vector unit and
// HBM overlap, the slowest decides, and every kernel has a fixed cost besides.
//
//   const KernelRates rates = RatesOf(FiguresOf(generation));
//   const KernelTime time = PriceKernel(
//       {.matrix_flops = 2.0 * 4096 * 4096 * 4096, .hbm_bytes = 1e8}, rates);
//
// Work and rates are those of a replica: a core, or a chip whose cores act as
// one. docs/timing-model.md has the equation, docs/validation.md what it makes
// of measured ops. Pure; basic arithmetic only, so that results have the
// same bits everywhere.
#ifndef PODSIM_CHIP_KERNEL_TIME_H_
#define PODSIM_CHIP_KERNEL_TIME_H_

#include <string_view>

#include "base/units.h"
#include "interconnect/topology/chip.h"

namespace podsim {

struct KernelWork {
  double matrix_flops = 0;  // what the matrix unit spends, padding in it
  double vector_flops = 0;
  double transcendentals = 0;  // exponentials, roots, ...: vector_flops too
  double hbm_bytes = 0;        // read and written
};

// What a kernel reaches that nothing else holds up.
struct KernelRates {
  double matrix_flops_per_second = 0;
  double vector_flops_per_second = 0;
  double transcendental_flops = 0;  // vector_flops of each transcendental
  double hbm_bytes_per_second = 0;
  double fixed_seconds = 0;  // of every kernel
};

// matrix_share and hbm_share of the chip's peaks, kernel_seconds; the vector
// units, of all cores that act as one, are taken at their peak.
KernelRates RatesOf(const ChipFigures& chip);

// What decides a kernel's time: the longest of the overlapped parts, or the
// fixed cost where that is at least as long.
enum class KernelBound { kCompute, kVector, kHbm, kFixedCost };

// "compute", "vector", "HBM", "fixed cost".
std::string_view KernelBoundName(KernelBound bound);

struct KernelTime {
  SimTime time;
  KernelBound bound = KernelBound::kFixedCost;
};

// Parts of equal length: the first in the order of KernelBound is named.
// REQUIRES: no work is negative, all rates are above 0, fixed_seconds and
// transcendental_flops are not negative.
KernelTime PriceKernel(const KernelWork& work, const KernelRates& rates);

}  // namespace podsim

#endif  // PODSIM_CHIP_KERNEL_TIME_H_
