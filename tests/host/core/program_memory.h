// Memory of a whole Program, of any model, with drawn numbers to run it on.
#ifndef PODSIM_TESTS_HOST_CORE_PROGRAM_MEMORY_H_
#define PODSIM_TESTS_HOST_CORE_PROGRAM_MEMORY_H_

#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/random.h"
#include "host/core/core.h"
#include "tests/host/core/core_fixture.h"
#include "tests/host/core/loops.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {

inline constexpr unsigned char kUntouchedByte = 0xa5;

// An arena with a guard behind it.
class GuardedArena {
 public:
  explicit GuardedArena(std::int64_t places)
      : floats_(static_cast<std::size_t>(places + kGuard)) {
    std::memset(floats_.data(), kUntouchedByte, floats_.size() * sizeof(float));
  }
  std::span<float> span() {
    return std::span(floats_).first(floats_.size() - kGuard);
  }
  // Places up to the last that holds something else than at first.
  std::int64_t Touched() const {
    constexpr std::uint32_t kPattern = 0x01010101U * kUntouchedByte;
    std::size_t end = floats_.size();
    while (end > 0 &&
           std::bit_cast<std::uint32_t>(floats_[end - 1]) == kPattern)
      --end;
    return static_cast<std::int64_t>(end);
  }

 private:
  static constexpr std::size_t kGuard = 64;
  std::vector<float> floats_;
};

class ProgramMemory {
 public:
  ProgramMemory(const Program& program, std::int64_t rows,
                std::int64_t rows_of_core)
      : program_(program),
        rows_(rows),
        rows_of_core_(rows_of_core),
        batched(program.batched_elements_per_row * rows),
        per_core(program.per_core_elements * (rows / rows_of_core)),
        scratch(program.scratch_elements),
        outputs(program.output_elements_per_row * rows),
        variables_(static_cast<std::size_t>(program.variable_elements)),
        gradients_(static_cast<std::size_t>(program.gradient_elements)) {
    InitVariables(program, /*seed=*/3, variables_);
    for (const ProgramInput& input : program.inputs)
      inputs_.push_back(Draw(program.tensor(input.tensor)));
  }

  CoreBuffers Buffers() {
    CoreBuffers buffers;
    buffers.variables = variables_;
    buffers.workspace = &workspace_;
    buffers.gradients = gradients_;
    buffers.batched = batched.span();
    buffers.per_core = per_core.span();
    buffers.scratch = scratch.span();
    buffers.outputs = outputs.span();
    buffers.rows_of_core = rows_of_core_;
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      buffers.inputs.push_back(
          {.dtype = program_.tensor(program_.inputs[i].tensor).dtype,
           .bytes = std::as_bytes(std::span(inputs_[i]))});
    return buffers;
  }

  void Run(const Segment& segment, const Panels& panels = {},
           const Fusions* fusions = nullptr) {
    Sequential loop;
    CoreBuffers buffers = Buffers();
    buffers.fusions = fusions;
    ASSERT_THAT(RunSegment(program_, segment, rows_, panels, {},
                           KernelsNamed(KernelNames().back()), loop, buffers),
                IsOk());
  }

  // What is left: gradients, and what each example reports.
  std::vector<std::uint32_t> Results() {
    std::vector<std::uint32_t> bits(gradients_.size() + outputs.span().size());
    std::memcpy(bits.data(), gradients_.data(), gradients_.size() * 4);
    std::memcpy(bits.data() + gradients_.size(), outputs.span().data(),
                outputs.span().size() * 4);
    return bits;
  }

 private:
  // Floats from 0 to 1, and whole numbers below 10, which are classes and grey
  // levels; keys are any.
  std::vector<std::uint32_t> Draw(const ProgramTensor& tensor) const {
    const std::uint64_t key = RandomKey(7, tensor.name);
    std::vector<std::uint32_t> words(
        static_cast<std::size_t>(tensor.shape.elements() * rows_));
    for (std::size_t i = 0; i < words.size(); ++i) {
      const float uniform = UniformFloat(key, i);
      if (tensor.dtype == DType::kFloat32)
        std::memcpy(&words[i], &uniform, sizeof(uniform));
      else
        words[i] = static_cast<std::uint32_t>(10 * uniform);
    }
    return words;
  }

  const Program& program_;
  std::int64_t rows_;
  std::int64_t rows_of_core_;

 public:
  GuardedArena batched;
  GuardedArena per_core;
  GuardedArena scratch;
  GuardedArena outputs;

 private:
  std::vector<float> variables_;
  std::vector<float> gradients_;
  std::vector<std::vector<std::uint32_t>> inputs_;
  Workspace workspace_;
};

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_HOST_CORE_PROGRAM_MEMORY_H_
