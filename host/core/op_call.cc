// Where the operands of an instruction lie.
#include "base/status.h"
#include "host/core/op_kernels.h"

namespace podsim {
namespace {

const ProgramTensor& InputTensor(const OpCall& call, std::size_t i) {
  return call.program.tensor(call.instruction.inputs[i]);
}

const ProgramTensor& OutputTensor(const OpCall& call, std::size_t i) {
  return call.program.tensor(call.instruction.outputs[i]);
}

// Where a tensor's bytes begin in the call's part; null for inputs, which are
// only read. An empty buffer (no rows) may be null.
std::byte* Bytes(const OpCall& call, const ProgramTensor& tensor) {
  const CoreBuffers& buffers = call.buffers;
  const std::int64_t bytes = tensor.shape.elements() * tensor.element_bytes();
  const auto at = [](std::span<float> arena, std::int64_t place) {
    return reinterpret_cast<std::byte*>(arena.data() + place);
  };
  switch (tensor.storage) {
    case Storage::kVariable:
      return at(buffers.variables, tensor.offset);
    case Storage::kGradient:
      return at(buffers.gradients, tensor.offset);
    case Storage::kBatched:
      return at(buffers.batched, tensor.offset * call.rows) +
             call.first_row * bytes;
    case Storage::kPerCore:
      return at(buffers.per_core, tensor.offset * call.cores()) +
             call.core * bytes;
    case Storage::kScratch:
      return at(buffers.scratch, tensor.offset);
    case Storage::kOutput:
      return at(buffers.outputs, tensor.offset * call.rows) +
             call.first_row * bytes;
    case Storage::kInput:
      return nullptr;
  }
  return nullptr;
}

float* Address(const OpCall& call, const ProgramTensor& tensor) {
  return reinterpret_cast<float*>(Bytes(call, tensor));
}

// Where an input's rows lie. REQUIRES: it is one, of `dtype`.
const std::byte* InputBytes(const OpCall& call, TensorId id, DType dtype) {
  const std::size_t position = call.program.input_position(id);
  PODSIM_CHECK(position < call.buffers.inputs.size());
  const InputRows& rows = call.buffers.inputs[position];
  const ProgramTensor& tensor = call.program.tensor(id);
  PODSIM_CHECK(rows.dtype == dtype && tensor.dtype == dtype);
  return rows.bytes.data() +
         call.first_row * tensor.shape.elements() * tensor.element_bytes();
}

Array ArrayOf(const OpCall& call, const ProgramTensor& tensor) {
  return {.dtype = tensor.dtype,
          .dims = DimsFor(tensor.shape, call.row_count),
          .element_bytes = tensor.element_bytes(),
          .data = Bytes(call, tensor)};
}

}  // namespace

std::int64_t OpCall::cores() const {
  return buffers.rows_of_core == 0 ? 1 : rows / buffers.rows_of_core;
}

OpCall OpCall::For(const Instruction& of) const {
  return {program, of, rows, panels, scalars, kernels, parallel, buffers};
}

OpCall OpCall::ForCore(std::int64_t of) const {
  OpCall call = *this;
  call.core = of;
  call.row_count = rows / cores();
  call.first_row = of * call.row_count;
  return call;
}

OpCall OpCall::ForRows(std::int64_t begin, std::int64_t end) const {
  OpCall call = *this;
  call.first_row += begin;
  call.row_count = end - begin;
  return call;
}

MatrixView OpCall::InputView(std::size_t i) const {
  const ProgramTensor& tensor = InputTensor(*this, i);
  return AsMatrix(TypeOf(tensor), row_count);
}

MatrixView OpCall::OutputView(std::size_t i) const {
  const ProgramTensor& tensor = OutputTensor(*this, i);
  return AsMatrix(TypeOf(tensor), row_count);
}

DType OpCall::OutputType(std::size_t i) const {
  return OutputTensor(*this, i).dtype;
}

const float* OpCall::Input(std::size_t i) const {
  const ProgramTensor& tensor = InputTensor(*this, i);
  if (tensor.storage == Storage::kInput)
    return reinterpret_cast<const float*>(
        InputBytes(*this, instruction.inputs[i], DType::kFloat32));
  return Address(*this, tensor);
}

const std::int32_t* OpCall::Int32Input(std::size_t i) const {
  const Array array = InputArray(i);
  PODSIM_CHECK(array.dtype == DType::kInt32);
  return array.as<const std::int32_t>();
}

float* OpCall::Output(std::size_t i) const {
  const ProgramTensor& tensor = OutputTensor(*this, i);
  PODSIM_CHECK(tensor.storage != Storage::kInput);
  return Address(*this, tensor);
}

Array OpCall::ArrayAt(TensorId id) const {
  const ProgramTensor& tensor = program.tensor(id);
  Array array = ArrayOf(*this, tensor);
  if (tensor.storage == Storage::kInput)
    array.data = const_cast<std::byte*>(InputBytes(*this, id, tensor.dtype));
  return array;
}

Array OpCall::InputArray(std::size_t i) const {
  return ArrayAt(instruction.inputs[i]);
}

Array OpCall::OutputArray(std::size_t i) const {
  const ProgramTensor& tensor = OutputTensor(*this, i);
  PODSIM_CHECK(tensor.storage != Storage::kInput);
  return ArrayOf(*this, tensor);
}

float* OpCall::Gradient(std::size_t i) const {
  const ProgramTensor& tensor = InputTensor(*this, i);
  PODSIM_CHECK(tensor.storage == Storage::kGradient);
  return Address(*this, tensor);
}

}  // namespace podsim
