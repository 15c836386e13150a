// The TPU cores of one host: runs a Program's compute segments for a
// contiguous range of cores with their rows stacked.
#ifndef PODSIM_HOST_CORE_CORE_H_
#define PODSIM_HOST_CORE_CORE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "host/core/aligned_floats.h"
#include "host/core/fusion.h"
#include "host/core/op_times.h"
#include "host/core/packed_variables.h"
#include "host/core/parallel_for.h"
#include "models/graph/program.h"
#include "models/kernels/kernels.h"

namespace podsim {

// How work is cut (from the plan): k_block decides the bits of bias gradients
// and of a matrix unit's sums, nothing else here decides any.
struct Panels {
  // Rows that run through a row group at a time: few enough for their
  // activations to stay in a core's cache.
  std::int64_t rows = 128;
  // Columns of a right side packed at a time: a multiple of kColumnCut.
  std::int64_t columns = 96;
  // Rows that a weight gradient sums at a time.
  std::int64_t k_block = 1024;
};

// Memory for right sides that are packed for one op: reused from op to op.
class Workspace {
 public:
  // Slot i, with room for `elements`.
  float* Slot(std::size_t i, std::int64_t elements) {
    if (slots_.size() <= i) slots_.resize(i + 1);
    slots_[i].Reserve(elements);
    return slots_[i].data();
  }

 private:
  std::vector<AlignedFloats> slots_;
};

// The rows of an input as the infeed brought them, aligned to their type.
struct InputRows {
  DType dtype = DType::kFloat32;
  std::span<const std::byte> bytes;
};

template <typename T>
InputRows RowsOf(DType dtype, std::span<const T> values) {
  return {dtype, std::as_bytes(values)};
}

// Memory that a segment works on. Spans are borrowed; sizes follow the Program
// with R = rows of all cores in the range.
struct CoreBuffers {
  std::span<float> variables;  // shared by the process
  // Of these variables as they are now; null: products pack for themselves.
  const PackedVariables* packed = nullptr;
  const Fusions* fusions = nullptr;    // of the Program; null: each op alone
  Workspace* workspace = nullptr;      // one for each caller at a time
  std::span<float> gradients;          // this host's
  std::span<float> batched;            // batched_elements_per_row * R
  std::span<float> per_core;           // per_core_elements * cores
  std::span<float> scratch;            // scratch_elements
  std::span<float> outputs;            // output_elements_per_row * R
  std::vector<InputRows> inputs = {};  // by position in Program::inputs
  OpTimes* times = nullptr;            // null: not measured
  // B: R is a multiple of it. 0: all rows are one core's.
  std::int64_t rows_of_core = 0;
};

// What an update needs to know of its step.
using StepScalars = StepMoment;

// Runs a kCompute segment for `rows` stacked rows. Deterministic: bits depend
// on the Program, buffers, rows, panels and kernels, not on `parallel`.
// Errors: INTERNAL (an op the table does not know, buffers or panels that do
// not
//   fit: bugs).
absl::Status RunSegment(const Program& program, const Segment& segment,
                        std::int64_t rows, const Panels& panels,
                        const StepScalars& scalars,
                        const PodsimKernels& kernels, ParallelFor& parallel,
                        const CoreBuffers& buffers);

// Fills variables: with what the Program says that they begin with; else a pure
// function of (seed, variable name, index), the same on every slice. Slots are
// zero.
void InitVariables(const Program& program, std::uint64_t seed,
                   std::span<float> variables);

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_CORE_H_
