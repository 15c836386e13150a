#include "host/core/fused_step.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "models/graph/compile.h"
#include "models/ops/index_loops.h"
#include "models/ops/op_table.h"

namespace podsim {
namespace {

using Fusible = std::optional<FusibleOp>;
using Kind = FusedStep::Kind;

// Of rows that lie row behind row, in elements of four bytes or one.
bool IsByRows(const Program& program, TensorId id) {
  const ProgramTensor& tensor = program.tensor(id);
  return tensor.batched() && tensor.shape.batch_axis == 0 &&
         (tensor.element_bytes() == 4 || tensor.element_bytes() == 1);
}

bool IsFloats(const ProgramTensor& tensor) {
  return tensor.dtype == DType::kFloat32 || tensor.dtype == DType::kBFloat16;
}

std::int64_t ElementsOf(const Program& program, TensorId id) {
  return program.tensor(id).shape.elements();
}

FusibleOp Step(Kind kind, std::int64_t wide, std::int64_t narrow = 0) {
  return {.step = {.kind = kind}, .wide = wide, .narrow = narrow};
}

// Each operand has as many elements a row as the result.
bool IsElementByElement(const Program& program,
                        const Instruction& instruction) {
  const std::int64_t count = ElementsOf(program, instruction.outputs[0]);
  return std::all_of(
      instruction.inputs.begin(), instruction.inputs.end(), [&](TensorId id) {
        return IsByRows(program, id) && ElementsOf(program, id) == count;
      });
}

Fusible AsMap(const Program& program, const Instruction& instruction,
              const PodsimKernels& kernels) {
  const ProgramTensor& out = program.tensor(instruction.outputs[0]);
  FusibleOp op = Step(Kind::kMap, out.shape.elements());
  op.step.map = FindElementwise(kernels, instruction.op.name());
  op.step.rounds = out.dtype == DType::kBFloat16;
  const bool floats =
      IsFloats(out) &&
      std::all_of(instruction.inputs.begin(), instruction.inputs.end(),
                  [&](TensorId id) { return IsFloats(program.tensor(id)); });
  if (op.step.map == nullptr || !floats) return std::nullopt;
  return op;
}

Fusible AsElements(const Program& program, const Instruction& instruction,
                   const PodsimKernels& kernels) {
  if (!IsElementByElement(program, instruction)) return std::nullopt;
  const std::int64_t count = ElementsOf(program, instruction.outputs[0]);
  if (instruction.op == OpCode::kRoundBFloat16)
    return Step(Kind::kRound, count);
  const OpEntry& entry = EntryOf(instruction.op);
  if (!entry.is_element_wise || entry.input_count == 0) return std::nullopt;
  if (entry.scalar.value != nullptr)
    return AsMap(program, instruction, kernels);
  return Step(Kind::kArrays, count);
}

Fusible AsBias(const Program& program, const Instruction& instruction) {
  FusibleOp op = Step(Kind::kBias, ElementsOf(program, instruction.outputs[0]));
  op.step.period = ElementsOf(program, instruction.inputs[1]);
  if (!IsByRows(program, instruction.inputs[0])) return std::nullopt;
  return op;
}

Fusible AsFill(const Program& program, const Instruction& instruction) {
  const ProgramTensor& out = program.tensor(instruction.outputs[0]);
  if (instruction.attributes.data != nullptr || out.dtype != DType::kFloat32)
    return std::nullopt;
  return Step(Kind::kFill, out.shape.elements());
}

// Dimensions of one element aside, `dims` are the last ones.
bool AreLast(const Shape& shape, DimsView dims) {
  bool ended = false;
  for (int dim = shape.rank() - 1; dim >= 0; --dim) {
    const bool is_one = dim != shape.batch_axis &&
                        shape.dims[static_cast<std::size_t>(dim)] == 1;
    if (is_one) continue;
    const bool among = Contains(dims, dim);
    if (among && (ended || dim == shape.batch_axis)) return false;
    ended = ended || !among;
  }
  return true;
}

Fusible AsFold(const Program& program, const Instruction& instruction,
               const PodsimKernels& kernels) {
  const ProgramTensor& in = program.tensor(instruction.inputs[0]);
  if (in.dtype != DType::kFloat32 || !IsByRows(program, instruction.inputs[0]))
    return std::nullopt;
  if (!AreLast(in.shape, instruction.attributes.List("dimensions")))
    return std::nullopt;
  FusibleOp op = Step(Kind::kFold, in.shape.elements(),
                      ElementsOf(program, instruction.outputs[0]));
  const std::string& word = instruction.attributes.word;
  op.step.fold = word == "add"       ? kernels.sum_lines
                 : word == "maximum" ? kernels.maximum_of_lines
                 : word == "minimum" ? kernels.minimum_of_lines
                                     : nullptr;
  if (op.step.fold == nullptr) return std::nullopt;
  return op;
}

// The dimensions of the result that an operand's elements differ along.
Dims DimsAlong(const Shape& in, DimsView places) {
  Dims along;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (in.dims[i] != 1 || static_cast<int>(i) == in.batch_axis)
      along.push_back(places[i]);
  return along;
}

// A number over its line, or a vector again and again.
Fusible AsBroadcast(const Program& program, const Instruction& instruction) {
  const ProgramTensor& in = program.tensor(instruction.inputs[0]);
  const ProgramTensor& out = program.tensor(instruction.outputs[0]);
  const Dims along =
      DimsAlong(in.shape, instruction.attributes.List("broadcast_dimensions"));
  if (in.element_bytes() != out.element_bytes() ||
      !std::is_sorted(along.begin(), along.end()))
    return std::nullopt;
  if (in.batched()) {
    const Dims others = OthersOf(out.shape.rank(), along);
    if (!IsByRows(program, instruction.inputs[0]) ||
        !AreLast(out.shape, others))
      return std::nullopt;
    return Step(Kind::kSpread, out.shape.elements(), in.shape.elements());
  }
  if (!AreLast(out.shape, along)) return std::nullopt;
  FusibleOp op = Step(Kind::kRepeat, out.shape.elements());
  op.step.period = in.shape.elements();
  return op;
}

}  // namespace

std::optional<FusibleOp> AsFusedStep(const Program& program,
                                     const Instruction& instruction,
                                     const PodsimKernels& kernels) {
  if (instruction.outputs.size() != 1 ||
      !IsByRows(program, instruction.outputs[0]) ||
      (instruction.row_group == kNoRowGroup && !instruction.per_core))
    return std::nullopt;
  Fusible op = instruction.op == OpCode::kConstant
                   ? AsFill(program, instruction)
               : instruction.op == OpCode("reduce")
                   ? AsFold(program, instruction, kernels)
               : instruction.op == OpCode("broadcast_in_dim")
                   ? AsBroadcast(program, instruction)
               : instruction.op == OpCode::kAddBias
                   ? AsBias(program, instruction)
                   : AsElements(program, instruction, kernels);
  if (!op || op->wide == 0) return std::nullopt;
  op->step.instruction = &instruction;
  return op;
}

}  // namespace podsim
