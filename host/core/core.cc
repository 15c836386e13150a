#include "host/core/core.h"

#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/core/run_group.h"
#include "models/graph/row_groups.h"

namespace podsim {
namespace {

std::int64_t CoresOf(std::int64_t rows, const CoreBuffers& buffers) {
  return buffers.rows_of_core == 0 ? 1 : rows / buffers.rows_of_core;
}

// What a Program may need of one buffer, and how much is there.
struct Need {
  const char* buffer;
  std::size_t size;
  std::int64_t elements;
};

// Whether operand `id`, an input, is there in full, and of its type.
absl::Status CheckInput(const Program& program, TensorId id, std::int64_t rows,
                        const CoreBuffers& buffers) {
  const ProgramTensor& tensor = program.tensor(id);
  const std::size_t position = program.input_position(id);
  if (position >= buffers.inputs.size())
    return absl::InternalError(
        absl::StrCat("input ", tensor.name, " is not in the buffers"));
  const InputRows& given = buffers.inputs[position];
  if (given.dtype != tensor.dtype)
    return absl::InternalError(
        absl::StrCat("input ", tensor.name, " comes as ", ToString(given.dtype),
                     ", the program reads ", ToString(tensor.dtype)));
  const std::int64_t bytes =
      tensor.shape.elements() * rows * tensor.element_bytes();
  if (static_cast<std::int64_t>(given.bytes.size()) >= bytes)
    return absl::OkStatus();
  return absl::InternalError(absl::StrCat("input ", tensor.name, " holds ",
                                          given.bytes.size(),
                                          " bytes, the program needs ", bytes));
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
    case Storage::kPerCore:
      return {"per-core", buffers.per_core.size(),
              program.per_core_elements * CoresOf(rows, buffers)};
    case Storage::kScratch:
      return {"scratch", buffers.scratch.size(), program.scratch_elements};
    case Storage::kOutput:
      return {"outputs", buffers.outputs.size(),
              program.output_elements_per_row * rows};
    case Storage::kInput:
      break;  // CheckInput
  }
  return {"unknown", 0, 1};
}

absl::Status CheckOperand(const Program& program, TensorId id,
                          std::int64_t rows, const CoreBuffers& buffers) {
  if (program.tensor(id).storage == Storage::kInput)
    return CheckInput(program, id, rows, buffers);
  const Need need = NeedOf(program, id, rows, buffers);
  if (static_cast<std::int64_t>(need.size) >= need.elements)
    return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat("the ", need.buffer, " buffer holds ", need.size,
                   " elements, the program needs ", need.elements));
}

// That the ops are known and that what they touch is there: an update needs no
// batch.
absl::Status CheckSegment(const Program& program, const Segment& segment,
                          std::int64_t rows, const CoreBuffers& buffers) {
  for (const Instruction& instruction : segment.instructions) {
    const OpEntry* op = FindOp(instruction.op.name());
    if (op == nullptr)
      return absl::InternalError(
          absl::StrCat("no op is called '", ToString(instruction.op), "'"));
    for (const auto* operands : {&instruction.inputs, &instruction.outputs})
      for (const TensorId id : *operands)
        PODSIM_RETURN_IF_ERROR(CheckOperand(program, id, rows, buffers));
    if (op->is_product() && buffers.workspace == nullptr)
      return absl::InternalError("a product has no workspace");
  }
  return absl::OkStatus();
}

absl::Status CheckCores(std::int64_t rows, const CoreBuffers& buffers) {
  const std::int64_t of_core = buffers.rows_of_core;
  if (of_core == 0 || (of_core > 0 && rows % of_core == 0))
    return absl::OkStatus();
  return absl::InternalError(absl::StrCat(
      rows, " rows are not those of whole cores with ", of_core, " each"));
}

absl::Status CheckPanels(std::int64_t rows, const Panels& panels) {
  if (rows >= 0 && panels.rows >= 1 && panels.columns >= 1 &&
      panels.columns % kColumnCut == 0 && panels.k_block >= 1)
    return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat("cannot cut ", rows, " rows into panels of ", panels.rows,
                   " rows, ", panels.columns, " columns (a multiple of ",
                   kColumnCut, "), K-blocks of ", panels.k_block));
}

// Runs instructions one after the other, those that may share panels together.
class SegmentRun {
 public:
  explicit SegmentRun(const OpCall& any) : any_(any) {}

  absl::Status Run(std::span<const Instruction> instructions) {
    while (!instructions.empty()) {
      PODSIM_ASSIGN_OR_RETURN(const KernelCall next, Next(instructions[0]));
      if (!calls_.empty() && (next.row_group() == kNoRowGroup ||
                              next.row_group() != calls_.back().row_group()))
        Flush();
      calls_.push_back(next);
      if (next.fusion == nullptr && HasPackedSide(next.call.instruction.op) &&
          !next.per_core())
        calls_.back().call.packed = PackedFor(next.call, calls_.size() - 1);
      instructions = instructions.subspan(
          next.fusion == nullptr ? 1 : next.fusion->instructions.size());
    }
    Flush();
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<KernelCall> Next(const Instruction& instruction) const {
    const Fusions* fusions = any_.buffers.fusions;
    const Fusion* fusion =
        fusions == nullptr ? nullptr : fusions->At(instruction);
    const OpKernel kernel = KernelOf(instruction.op);
    if (!kernel.known())
      return absl::InternalError(
          absl::StrCat("no kernel for ", ToString(instruction.op)));
    return KernelCall{.call = any_.For(instruction),
                      .kernel = kernel,
                      .work = EntryOf(instruction.op).is_product()
                                  ? Work::kProducts
                                  : Work::kElementwise,
                      .fusion = fusion};
  }

  void Flush() {
    if (!calls_.empty()) RunGroup(calls_);
    calls_.clear();
  }

  const OpCall& any_;
  std::vector<KernelCall> calls_;
};

}  // namespace

absl::Status RunSegment(const Program& program, const Segment& segment,
                        std::int64_t rows, const Panels& panels,
                        const StepScalars& scalars,
                        const PodsimKernels& kernels, ParallelFor& parallel,
                        const CoreBuffers& buffers) {
  if (segment.kind != SegmentKind::kCompute)
    return absl::InternalError("a core was asked to run a collective");
  PODSIM_RETURN_IF_ERROR(CheckPanels(rows, panels));
  PODSIM_RETURN_IF_ERROR(CheckCores(rows, buffers));
  PODSIM_RETURN_IF_ERROR(CheckSegment(program, segment, rows, buffers));
  if (segment.instructions.empty()) return absl::OkStatus();
  const OpCall any{program,  segment.instructions[0],
                   rows,     panels,
                   scalars,  kernels,
                   parallel, buffers};
  return SegmentRun(any).Run(segment.instructions);
}

}  // namespace podsim
