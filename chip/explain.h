// What a chip does in a training step, for people: each kernel with its name,
// work and time, which of them do the same, what they come to, and what is in
// HBM while it is fullest. Plain data.
//
//   const ChipStep step = ChipStepOf(program, rows, slice.chip());
//   const ChipExplanation explained = ExplainStep(step, rows, slice.chip());
//   explained.kernels[3].time                   of the fourth that runs
//   explained.lines.front().name.source         where most time goes
#ifndef PODSIM_CHIP_EXPLAIN_H_
#define PODSIM_CHIP_EXPLAIN_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "chip/homes.h"
#include "chip/kernel_time.h"
#include "chip/program.h"
#include "chip/remat.h"
#include "chip/step.h"
#include "chip/value_names.h"
#include "interconnect/topology/chip.h"
#include "models/ops/shape.h"

namespace podsim {

struct ExplainedKernel {
  ChipKernelKind kind = ChipKernelKind::kLoop;
  std::string_view op;  // what it is named after: "MatMul"
  ValueName name;       // of that op's first result
  SimTime time;         // its fixed cost in it
  double share = 0;     // of ExplainedTotals::time
  KernelBound bound = KernelBound::kFixedCost;
  // Additions, multiplications, transcendentals, ...: those of its products
  // that are part of the result, and those of the vector unit.
  double flops = 0;
  double product_flops = 0;  // of these, its products'
  double matrix_flops = 0;   // what the matrix unit spends, padding in it
  double hbm_bytes = 0;      // read and written
};

// Kernels of one op and one place that are alike but for numbers in their
// names, as those of several layers are.
struct ExplainedLine {
  ValueName name;                     // CommonName of theirs
  std::vector<std::int32_t> kernels;  // in the order in which they run
  SimTime time;                       // of all of them
  double share = 0;
};

inline constexpr std::array kKernelBounds = {
    KernelBound::kCompute, KernelBound::kVector, KernelBound::kHbm,
    KernelBound::kFixedCost};

struct ExplainedTotals {
  struct OfBound {
    std::int32_t kernels = 0;
    SimTime time;
  };

  std::int32_t products = 0;  // kernels of this kind
  SimTime time;               // of all kernels, one after the other
  double flops = 0;
  double product_flops = 0;
  double hbm_bytes = 0;
  std::array<OfBound, kKernelBounds.size()> by_bound;  // by KernelBound

  const OfBound& of(KernelBound bound) const {
    return by_bound[static_cast<std::size_t>(bound)];
  }
};

// Values that are in HBM together and alike but for numbers in their names.
struct ExplainedActivation {
  ValueName name;
  DType dtype = DType::kFloat32;
  std::vector<std::int64_t> dims;
  std::int32_t count = 0;
  double bytes = 0;  // of each, in tiles
};

struct ExplainedHbm {
  ChipHbm fullest;
  std::int64_t available = 0;  // bytes that programs may take
  // Of fullest.activations, those that take most together first.
  std::vector<ExplainedActivation> activations;
};

struct ChipExplanation {
  std::vector<ExplainedKernel> kernels;  // in the order in which they run
  std::vector<ExplainedLine> lines;      // those that take most time first
  ExplainedTotals totals;
  SimTime fixed_cost;  // of each kernel, in its time
  ExplainedHbm hbm;
  std::vector<Recomputed> recomputed;  // for lack of room in HBM
};

// `step`: what ChipStepOf makes for `rows` examples of one core and for chips
// of these matrix units. `update_parts`: kernels of the update do one of so
// many parts of their work, as ShardedTimesOf prices them; HBM holds all of it.
// Pure; n log n in kernels and values.
ChipExplanation ExplainStep(const ChipStep& step, std::int64_t rows,
                            const ChipFigures& chip, int update_parts = 1);

// "product", "loop", "alone".
std::string_view KernelKindName(ChipKernelKind kind);

}  // namespace podsim

#endif  // PODSIM_CHIP_EXPLAIN_H_
