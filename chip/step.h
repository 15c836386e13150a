// A training step of a Program as a chip runs it, and what its kernels take.
//
//   const ChipStep step = ChipStepOf(program, /*rows=*/128, slice.chip());
//   const auto times = TimesOf(step.program, slice.chip());
//   times[3].time   of the fourth kernel, alone
//
// Pure.
#ifndef PODSIM_CHIP_STEP_H_
#define PODSIM_CHIP_STEP_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "base/units.h"
#include "chip/graph.h"
#include "chip/homes.h"
#include "chip/kernel_time.h"
#include "chip/program.h"
#include "chip/remat.h"
#include "interconnect/topology/chip.h"
#include "models/graph/program.h"

namespace podsim {

// Forward and backward pass of one core's `rows` examples, and the update. The
// same for every slice whose cores have as many rows, the same matrix units and
// as much room for values between kernels and in HBM and, where products are
// recomputed, the same rates.
struct ChipStep {
  ChipGraph graph;
  ChipProgram program;
  std::vector<Recomputed> recomputed;
  ChipHbm fullest;
};
// `hbm_bytes`: what the pass may take of HBM; where it would take more,
// products are recomputed until it does not, or as much less as can be
// (FuseWithin; products with a weight before others, as XLA does).
ChipStep ChipStepOf(const Program& program, std::int64_t rows,
                    const ChipFigures& chip,
                    double hbm_bytes = std::numeric_limits<double>::infinity());

// The kernels of any graph of one core's `rows` examples, for matrix units that
// take tiles of 128 x 128.
ChipProgram FusedFor(const ChipGraph& graph, std::int64_t rows);

// The same kernels on a chip that keeps up to so many bytes of values between
// them; `rows`: those of the step.
ChipStep WithOnChip(ChipStep step, std::int64_t rows, double on_chip_bytes);

// What PriceKernel asks of a kernel of a ChipProgram.
KernelWork WorkOf(const ChipKernel& kernel);

// Of each kernel, in order.
std::vector<KernelTime> TimesOf(const ChipProgram& program,
                                const ChipFigures& chip);

// The same where kernel `first` and those behind it do one of `replicas` parts
// of their work.
std::vector<KernelTime> ShardedTimesOf(const ChipProgram& program,
                                       const ChipFigures& chip,
                                       std::int32_t first, int replicas);

// An evaluation's pass over one core's `rows` examples; without kernels where
// `program` evaluates nothing.
struct ChipPass {
  ChipGraph graph;
  ChipProgram program;
};
ChipPass EvaluationOf(const Program& program, std::int64_t rows,
                      const ChipFigures& chip);

// Its kernels on a chip that keeps up to so many bytes of values between them;
// `rows`: those of the pass.
ChipProgram WithOnChip(const ChipPass& pass, std::int64_t rows,
                       double on_chip_bytes);

// FLOPs of all its products that are part of a result: without padding, with
// what runs again.
double ProductFlops(const ChipProgram& program);

// The first kernel that waits for gradients which have been summed over the
// slice: there the update begins. kernels.size(): none does.
std::int32_t FirstOfUpdate(const ChipProgram& program);

}  // namespace podsim

#endif  // PODSIM_CHIP_STEP_H_
