// A Program with memory and numbers to run it on, both as the executor sees it
// and as the slow oracle does.
#ifndef PODSIM_TESTS_HOST_CORE_CORE_FIXTURE_H_
#define PODSIM_TESTS_HOST_CORE_CORE_FIXTURE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "host/core/core.h"
#include "models/graph/compile.h"
#include "tests/models/graph/bounded_machine.h"

namespace podsim::testing {

// Small, so that every op is cut in both directions.
inline constexpr Panels kSmallPanels = {
    .rows = 8, .columns = kColumnCut, .k_block = 12};
inline constexpr float kRate = 0.25F;

// An MLP of 3x4 features: `hidden` widths, 5 classes.
Program SmallMlp(const std::vector<int>& hidden, bool bfloat16,
                 double momentum = 0.9);
Program SmallMlp(const std::vector<int>& hidden, CompileOptions options);

// "reference", "emulated_tiles" (tests/models/kernels/emulated_tiles.h), or the
// name of an ISA level that this machine runs; the best one is last.
std::vector<std::string> KernelNames();
const PodsimKernels& KernelsNamed(const std::string& name);

// Memory of one host with `rows` stacked rows. Fresh memory is NaN wherever
// the Program must write before it reads.
class HostMemory {
 public:
  HostMemory(const Program& program, std::int64_t rows,
             const PodsimKernels& kernels);

  // Variables from `seed`; features, labels and weights that depend on
  // `first_row` + row, so that a host with other rows sees other examples.
  // Biases are random too: zeros would hide mistakes.
  void Fill(std::uint64_t seed, std::int64_t first_row);

  CoreBuffers Buffers();
  // Runs the compute segments of an entry point and fails the test on errors.
  void Run(EntryPoint entry, const Panels& panels, ParallelFor& parallel,
           float rate = 0, std::int64_t step = 1);

  // The contents of a tensor as it lies in these buffers.
  std::vector<float> Read(TensorId id) const;
  // An oracle with the same variables and batch.
  BoundedMachine Oracle() const;

  const std::vector<float>& gradients() const { return gradients_; }
  std::vector<float>& variables() { return variables_; }

 private:
  void Pack();

  const Program& program_;
  std::int64_t rows_;
  const PodsimKernels& kernels_;
  std::vector<float> variables_;
  PackedVariables packed_;
  Fusions fusions_;
  Workspace workspace_;
  std::vector<float> gradients_;
  std::vector<float> batched_;
  std::vector<float> scratch_;
  std::vector<float> outputs_;
  std::vector<float> features_;
  std::vector<std::int32_t> labels_;
  std::vector<float> weights_;
};

// Each number of tensor `id` is within the oracle's bound.
void ExpectWithinBound(const Program& program, TensorId id,
                       const std::vector<float>& ours,
                       const BoundedMachine& oracle);

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_HOST_CORE_CORE_FIXTURE_H_
