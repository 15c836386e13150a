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

}  // namespace

MatrixView OpCall::InputView(std::size_t i) const {
  const ProgramTensor& tensor = InputTensor(*this, i);
  return AsMatrix({tensor.dtype, tensor.shape, tensor.batched()}, rows);
}

MatrixView OpCall::OutputView(std::size_t i) const {
  const ProgramTensor& tensor = OutputTensor(*this, i);
  return AsMatrix({tensor.dtype, tensor.shape, tensor.batched()}, rows);
}

const float* OpCall::Input(std::size_t i) const {
  const TensorId id = instruction.inputs[i];
  const ProgramTensor& tensor = program.tensor(id);
  if (tensor.storage == Storage::kInput) {
    PODSIM_CHECK(tensor.dtype == DType::kFloat32);
    return id == program.features ? buffers.features.data()
                                  : buffers.weights.data();
  }
  return Address(*this, tensor);
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

const std::int32_t* OpCall::Labels(std::size_t i) const {
  PODSIM_CHECK(instruction.inputs[i] == program.labels);
  return buffers.labels.data();
}

}  // namespace podsim
