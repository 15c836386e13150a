// What a training step holds in HBM whatever is recomputed, added up from its
// Program: a job that exceeds it must be refused at any setting. Pure.
#ifndef PODSIM_BENCH_VALIDATION_LEAST_HBM_H_
#define PODSIM_BENCH_VALIDATION_LEAST_HBM_H_

#include <cstdint>

#include "interconnect/topology/chip.h"
#include "models/graph/program.h"

namespace podsim::validation {

// Bytes of one core, without tiles.
struct LeastHbm {
  double inputs = 0;     // of the whole batch
  double variables = 0;  // weights, states and the optimizer's state
  double gradients = 0;
  double operands = 0;  // computed ones of the kernel that reads most of them

  double total() const { return inputs + variables + gradients + operands; }
};

// Of `batch` examples in so many passes. The kernels are those of a chip whose
// HBM has room for all.
// REQUIRES: `microbatches` divides `batch`; PriceKernel's of the chip's rates.
LeastHbm LeastHbmOf(const Program& program, std::int64_t batch,
                    std::int64_t microbatches, const ChipFigures& chip);

}  // namespace podsim::validation

#endif  // PODSIM_BENCH_VALIDATION_LEAST_HBM_H_
