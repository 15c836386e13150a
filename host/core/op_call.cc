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

// Null for inputs, which are only read. An empty buffer (no rows) may be null.
float* Address(const OpCall& call, const ProgramTensor& tensor) {
  const CoreBuffers& buffers = call.buffers;
  switch (tensor.storage) {
    case Storage::kVariable:
      return buffers.variables.data() + tensor.offset;
    case Storage::kGradient:
      return buffers.gradients.data() + tensor.offset;
    case Storage::kBatched:
      return buffers.batched.data() + tensor.offset * call.rows;
    case Storage::kScratch:
      return buffers.scratch.data() + tensor.offset;
    case Storage::kOutput:
      return buffers.outputs.data() + tensor.offset * call.rows;
    case Storage::kInput:
      return nullptr;
  }
  return nullptr;
}

// Where an input's rows lie. REQUIRES: it is one, of `dtype`.
const std::byte* InputBytes(const OpCall& call, std::size_t i, DType dtype) {
  const std::size_t position =
      call.program.input_position(call.instruction.inputs[i]);
  PODSIM_CHECK(position < call.buffers.inputs.size());
  const InputRows& rows = call.buffers.inputs[position];
  PODSIM_CHECK(rows.dtype == dtype && InputTensor(call, i).dtype == dtype);
  return rows.bytes.data();
}

}  // namespace

MatrixView OpCall::InputView(std::size_t i) const {
  const ProgramTensor& tensor = InputTensor(*this, i);
  return AsMatrix(TypeOf(tensor), rows);
}

MatrixView OpCall::OutputView(std::size_t i) const {
  const ProgramTensor& tensor = OutputTensor(*this, i);
  return AsMatrix(TypeOf(tensor), rows);
}

const float* OpCall::Input(std::size_t i) const {
  const ProgramTensor& tensor = InputTensor(*this, i);
  if (tensor.storage == Storage::kInput)
    return reinterpret_cast<const float*>(
        InputBytes(*this, i, DType::kFloat32));
  return Address(*this, tensor);
}

const std::int32_t* OpCall::Int32Input(std::size_t i) const {
  return reinterpret_cast<const std::int32_t*>(
      InputBytes(*this, i, DType::kInt32));
}

float* OpCall::Output(std::size_t i) const {
  const ProgramTensor& tensor = OutputTensor(*this, i);
  PODSIM_CHECK(tensor.storage != Storage::kInput);
  return Address(*this, tensor);
}

float* OpCall::Gradient(std::size_t i) const {
  const ProgramTensor& tensor = InputTensor(*this, i);
  PODSIM_CHECK(tensor.storage == Storage::kGradient);
  return Address(*this, tensor);
}

}  // namespace podsim
