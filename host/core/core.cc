#include "host/core/core.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/core/op_kernels.h"

namespace podsim {
namespace {

absl::Status CheckSize(const char* buffer, std::size_t size,
                       std::int64_t needed) {
  if (static_cast<std::int64_t>(size) >= needed) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("the ", buffer, " buffer holds ",
                                          size, " elements, the program needs ",
                                          needed));
}

std::int64_t InputElements(const Program& program, TensorId input,
                           std::int64_t rows) {
  return input == kNoTensor ? 0 : program.tensor(input).shape.elements() * rows;
}

bool Reads(const Program& program, const Segment& segment, Storage storage) {
  for (const Instruction& instruction : segment.instructions)
    for (const auto* operands : {&instruction.inputs, &instruction.outputs})
      for (const TensorId id : *operands)
        if (program.tensor(id).storage == storage) return true;
  return false;
}

// Only what the segment touches must be there: an update needs no batch.
absl::Status CheckBuffers(const Program& program, const Segment& segment,
                          std::int64_t rows, const CoreBuffers& buffers) {
  const auto check = [&](Storage storage, const char* name, std::size_t size,
                         std::int64_t needed) {
    return Reads(program, segment, storage) ? CheckSize(name, size, needed)
                                            : absl::OkStatus();
  };
  PODSIM_RETURN_IF_ERROR(check(Storage::kVariable, "variables",
                               buffers.variables.size(),
                               program.variable_elements));
  if (program.bfloat16_products)
    PODSIM_RETURN_IF_ERROR(check(Storage::kVariable, "rounded",
                                 buffers.rounded.size(),
                                 program.variable_elements));
  PODSIM_RETURN_IF_ERROR(check(Storage::kGradient, "gradients",
                               buffers.gradients.size(),
                               program.gradient_elements));
  PODSIM_RETURN_IF_ERROR(check(Storage::kBatched, "batched",
                               buffers.batched.size(),
                               program.batched_elements_per_row * rows));
  PODSIM_RETURN_IF_ERROR(check(Storage::kScratch, "scratch",
                               buffers.scratch.size(),
                               program.scratch_elements));
  PODSIM_RETURN_IF_ERROR(check(Storage::kOutput, "outputs",
                               buffers.outputs.size(),
                               program.output_elements_per_row * rows));
  for (const Instruction& instruction : segment.instructions)
    for (const TensorId id : instruction.inputs) {
      if (program.tensor(id).storage != Storage::kInput) continue;
      const std::size_t size = id == program.features ? buffers.features.size()
                               : id == program.labels ? buffers.labels.size()
                                                      : buffers.weights.size();
      PODSIM_RETURN_IF_ERROR(CheckSize(program.tensor(id).name.c_str(), size,
                                       InputElements(program, id, rows)));
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
