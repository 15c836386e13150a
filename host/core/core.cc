#include "host/core/core.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/core/op_kernels.h"

namespace podsim {
namespace {

// What a Program may need of one buffer, and how much is there.
struct Need {
  const char* buffer;
  std::size_t size;
  std::int64_t elements;
};

Need InputNeed(const Program& program, TensorId input, std::int64_t rows,
               const CoreBuffers& buffers) {
  const std::int64_t elements = program.tensor(input).shape.elements() * rows;
  if (input == program.features)
    return {"features", buffers.features.size(), elements};
  if (input == program.labels)
    return {"labels", buffers.labels.size(), elements};
  return {"weights", buffers.weights.size(), elements};
}

Need NeedOf(const Program& program, TensorId id, std::int64_t rows,
            const CoreBuffers& buffers) {
  switch (program.tensor(id).storage) {
    case Storage::kVariable:
      return {"variables", buffers.variables.size(), program.variable_elements};
    case Storage::kGradient:
      return {"gradients", buffers.gradients.size(), program.gradient_elements};
    case Storage::kBatched:
      return {"batched", buffers.batched.size(),
              program.batched_elements_per_row * rows};
    case Storage::kScratch:
      return {"scratch", buffers.scratch.size(), program.scratch_elements};
    case Storage::kOutput:
      return {"outputs", buffers.outputs.size(),
              program.output_elements_per_row * rows};
    case Storage::kInput:
      return InputNeed(program, id, rows, buffers);
  }
  return {"unknown", 0, 1};
}

absl::Status CheckNeed(const Need& need) {
  if (static_cast<std::int64_t>(need.size) >= need.elements)
    return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat("the ", need.buffer, " buffer holds ", need.size,
                   " elements, the program needs ", need.elements));
}

// Only what the segment touches must be there: an update needs no batch.
absl::Status CheckBuffers(const Program& program, const Segment& segment,
                          std::int64_t rows, const CoreBuffers& buffers) {
  for (const Instruction& instruction : segment.instructions) {
    for (const auto* operands : {&instruction.inputs, &instruction.outputs})
      for (const TensorId id : *operands)
        PODSIM_RETURN_IF_ERROR(CheckNeed(NeedOf(program, id, rows, buffers)));
    if (instruction.attributes.rounded_operands)
      PODSIM_RETURN_IF_ERROR(CheckNeed(
          {"rounded", buffers.rounded.size(), program.variable_elements}));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RunSegment(const Program& program, const Segment& segment,
                        std::int64_t rows, const Panels& panels,
                        const StepScalars& scalars,
                        const PodsimKernels& kernels, ParallelFor& parallel,
                        const CoreBuffers& buffers) {
  if (segment.kind != SegmentKind::kCompute)
    return absl::InternalError("a core was asked to run a collective");
  if (rows < 0 || panels.rows < 1 || panels.columns < 1 || panels.k_block < 1)
    return absl::InternalError(absl::StrCat(
        "cannot cut ", rows, " rows into panels of ", panels.rows, " rows, ",
        panels.columns, " columns, K-blocks of ", panels.k_block));
  PODSIM_RETURN_IF_ERROR(CheckBuffers(program, segment, rows, buffers));
  for (const Instruction& instruction : segment.instructions) {
    const OpKernel kernel = KernelOf(instruction.op);
    if (kernel == nullptr)
      return absl::InternalError(
          absl::StrCat("no kernel for op ", static_cast<int>(instruction.op)));
    kernel({program, instruction, rows, panels, scalars, kernels, parallel,
            buffers});
  }
  return absl::OkStatus();
}

void RoundVariables(const Program& program, const PodsimKernels& kernels,
                    std::span<const float> variables,
                    std::span<float> rounded) {
  if (!program.bfloat16_products) return;
  const auto elements = static_cast<std::size_t>(program.variable_elements);
  PODSIM_CHECK(variables.size() >= elements && rounded.size() >= elements);
  for (const ProgramVariable& variable : program.variables) {
    const ProgramTensor& tensor = program.tensor(variable.tensor);
    if (tensor.feeds_product)
      kernels.round_bfloat16(tensor.shape.elements(),
                             variables.data() + tensor.offset,
                             rounded.data() + tensor.offset);
  }
}

}  // namespace podsim
