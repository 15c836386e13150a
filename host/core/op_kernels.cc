#include "host/core/op_kernels.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "base/status.h"

namespace podsim {
namespace {

// Column sums of each K-block of rows, then the blocks' sums in order.
void BiasGrad(const OpCall& call) {
  const MatrixView dy = call.InputView(0);
  const float* in = call.Input(0);
  float* out = call.Output(0);
  const std::int64_t block = call.panels.k_block;
  const std::int64_t blocks = (dy.rows + block - 1) / block;
  std::vector<float> partial(static_cast<std::size_t>(blocks * dy.columns));
  ForPanels(call.parallel, dy.rows, block,
            [&](std::int64_t begin, std::int64_t end) {
              const TimedWork timed(call.buffers.times, Work::kElementwise);
              call.kernels.column_sums(
                  end - begin, dy.columns, in + begin * dy.columns,
                  partial.data() + begin / block * dy.columns, 0);
            });
  std::fill_n(out, dy.columns, 0.0F);
  if (blocks > 0)
    call.kernels.column_sums(blocks, dy.columns, partial.data(), out, 0);
}

void AddBias(const OpCall& call, std::int64_t begin, std::int64_t end) {
  const std::int64_t n = call.OutputView(0).columns;
  call.kernels.add_bias(end - begin, n, call.Input(0) + begin * n,
                        call.Input(1), call.Output(0) + begin * n);
}

void Relu(const OpCall& call, std::int64_t begin, std::int64_t end) {
  const std::int64_t n = call.OutputView(0).columns;
  call.kernels.relu((end - begin) * n, call.Input(0) + begin * n,
                    call.Output(0) + begin * n);
}

void ReluGrad(const OpCall& call, std::int64_t begin, std::int64_t end) {
  const std::int64_t n = call.OutputView(0).columns;
  call.kernels.relu_grad((end - begin) * n, call.Input(0) + begin * n,
                         call.Input(1) + begin * n, call.Output(0) + begin * n);
}

void RoundBFloat16(const OpCall& call, std::int64_t begin, std::int64_t end) {
  const std::int64_t n = call.OutputView(0).columns;
  call.kernels.round_bfloat16((end - begin) * n, call.Input(0) + begin * n,
                              call.Output(0) + begin * n);
}

// No entry in the kernel table: a sum of two floats has the same bits on every
// ISA level.
void Add(const OpCall& call, std::int64_t begin, std::int64_t end) {
  const std::int64_t n = call.OutputView(0).columns;
  const float* a = call.Input(0);
  const float* b = call.Input(1);
  float* out = call.Output(0);
  for (std::int64_t i = begin * n; i < end * n; ++i) out[i] = a[i] + b[i];
}

void Reshape(const OpCall& call, std::int64_t begin, std::int64_t end) {
  const std::int64_t n = call.OutputView(0).columns;
  std::memcpy(call.Output(0) + begin * n, call.Input(0) + begin * n,
              static_cast<std::size_t>((end - begin) * n) * sizeof(float));
}

void SoftmaxXent(const OpCall& call, std::int64_t begin, std::int64_t end) {
  const std::int64_t n = call.OutputView(0).columns;
  call.kernels.softmax_xent(end - begin, n, call.Input(0) + begin * n,
                            call.Labels(1) + begin, call.Output(0) + begin * n,
                            call.Output(1) + begin, call.Output(2) + begin);
}

void SoftmaxXentGrad(const OpCall& call, std::int64_t begin, std::int64_t end) {
  const std::int64_t n = call.OutputView(0).columns;
  call.kernels.softmax_xent_grad(end - begin, n, call.Input(0) + begin * n,
                                 call.Labels(1) + begin, call.Input(2) + begin,
                                 call.Output(0) + begin * n);
}

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

OpKernel KernelOf(OpCode op) {
  switch (op) {
    case OpCode::kMatMul:
      return {.rows = MatMulRows};
    case OpCode::kAddBias:
      return {.rows = AddBias};
    case OpCode::kRelu:
      return {.rows = Relu};
    case OpCode::kAdd:
      return {.rows = Add};
    case OpCode::kReshape:
      return {.rows = Reshape};
    case OpCode::kSoftmaxXent:
      return {.rows = SoftmaxXent};
    case OpCode::kMatMulGradInput:
      return {.rows = MatMulGradInputRows};
    case OpCode::kMatMulGradWeight:
      return {.whole = MatMulGradWeight};
    case OpCode::kBiasGrad:
      return {.whole = BiasGrad};
    case OpCode::kReluGrad:
      return {.rows = ReluGrad};
    case OpCode::kSoftmaxXentGrad:
      return {.rows = SoftmaxXentGrad};
    case OpCode::kRoundBFloat16:
      return {.rows = RoundBFloat16};
    case OpCode::kClip:
      return {.whole = Clip};
    case OpCode::kUpdate:
      return {.whole = Update};
  }
  return {};
}

}  // namespace podsim
