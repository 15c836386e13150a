// The TPU cores of one host: runs a Program's compute segments for a
// contiguous range of cores with their rows stacked.
#ifndef PODSIM_HOST_CORE_CORE_H_
#define PODSIM_HOST_CORE_CORE_H_

#include <cstdint>
#include <functional>
#include <span>

#include "absl/status/status.h"
#include "models/graph/program.h"
#include "models/tensor/kernels.h"

namespace podsim {

// Runs fn(0) ... fn(count - 1), in any order and on any threads, and returns
// when all are done. A board gives its thread pool; tests may give a loop.
class ParallelFor {
 public:
  virtual ~ParallelFor() = default;
  virtual void Run(std::int64_t count,
                   const std::function<void(std::int64_t)>& fn) = 0;
};

// How products are cut (from the plan): the cuts decide bits, threads do not.
struct Panels {
  std::int64_t rows = 256;
  std::int64_t columns = 480;
  std::int64_t k_block = 1024;
};

// Memory that a segment works on. Spans are borrowed; sizes follow the Program
// with R = rows of all cores in the range.
struct CoreBuffers {
  std::span<float> variables;  // shared by the process
  std::span<float> rounded;    // bfloat16 copies of variables, same layout
  std::span<float> gradients;  // this host's
  std::span<float> batched;    // batched_elements_per_row * R
  std::span<float> scratch;    // scratch_elements
  std::span<float> outputs;    // output_elements_per_row * R
  std::span<const float> features;
  std::span<const std::int32_t> labels;
  std::span<const float> weights;
};

struct StepScalars {
  float learning_rate = 0;
};

// Runs a kCompute segment for `rows` stacked rows. Deterministic: bits depend
// on the Program, buffers, rows, panels and kernels, not on `parallel`.
// Errors: INTERNAL (an op the table does not know).
absl::Status RunSegment(const Program& program, const Segment& segment,
                        std::int64_t rows, const Panels& panels,
                        const StepScalars& scalars,
                        const PodsimKernels& kernels, ParallelFor& parallel,
                        const CoreBuffers& buffers);

// Fills variables: a pure function of (seed, variable name, index), the same
// on every slice. Slots are zero.
void InitVariables(const Program& program, std::uint64_t seed,
                   std::span<float> variables);

// Makes `rounded` the bfloat16 rounding of every variable that feeds a product
// (after init and after each update). No-op for float32 programs.
void RoundVariables(const Program& program, const PodsimKernels& kernels,
                    std::span<const float> variables, std::span<float> rounded);

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_CORE_H_
