#include "host/core/op_kernels.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "base/status.h"

namespace podsim {
namespace {

// Elements per task where the shape has no say (updates).
constexpr std::int64_t kElementPanel = 32 << 10;

std::int64_t PanelCount(std::int64_t size, std::int64_t panel) {
  return (size + panel - 1) / panel;
}

// fn(begin, end) for each panel of [0, size).
template <typename Fn>
void ForPanels(ParallelFor& parallel, std::int64_t size, std::int64_t panel,
               const Fn& fn) {
  parallel.Run(PanelCount(size, panel), [&](std::int64_t i) {
    fn(i * panel, std::min(size, (i + 1) * panel));
  });
}

struct Tile {
  std::int64_t row;
  std::int64_t rows;
  std::int64_t column;
  std::int64_t columns;
};

// fn(tile) for each panel of a product's result.
template <typename Fn>
void ForTiles(const OpCall& call, const MatrixView& result, const Fn& fn) {
  const Panels& panels = call.panels;
  const std::int64_t across = PanelCount(result.columns, panels.columns);
  const std::int64_t down = PanelCount(result.rows, panels.rows);
  call.parallel.Run(down * across, [&](std::int64_t i) {
    Tile tile;
    tile.row = i / across * panels.rows;
    tile.column = i % across * panels.columns;
    tile.rows = std::min(panels.rows, result.rows - tile.row);
    tile.columns = std::min(panels.columns, result.columns - tile.column);
    fn(tile);
  });
}

void MatMul(const OpCall& call) {
  const MatrixView y = call.OutputView(0);
  const std::int64_t k = call.InputView(0).columns;
  const float* a = call.Input(0);
  const float* b = call.Input(1);
  float* c = call.Output(0);
  ForTiles(call, y, [&](const Tile& tile) {
    call.kernels.matmul(tile.rows, tile.columns, k, a + tile.row * k, k,
                        b + tile.column, y.columns,
                        c + tile.row * y.columns + tile.column, y.columns);
  });
}

// dx[M,K] = dy[M,N] * w[K,N]^T: a column of dx is a row of w.
void MatMulGradInput(const OpCall& call) {
  const MatrixView dx = call.OutputView(0);
  const std::int64_t n = call.InputView(0).columns;
  const float* dy = call.Input(0);
  const float* w = call.Input(1);
  float* c = call.Output(0);
  ForTiles(call, dx, [&](const Tile& tile) {
    call.kernels.matmul_bt(tile.rows, tile.columns, n, dy + tile.row * n, n,
                           w + tile.column * n, n,
                           c + tile.row * dx.columns + tile.column, dx.columns);
  });
}

// dw[K,N] = x[R,K]^T * dy[R,N], rows summed a K-block at a time, in order.
void MatMulGradWeight(const OpCall& call) {
  const MatrixView dw = call.OutputView(0);
  const std::int64_t rows = call.InputView(0).rows;
  const float* x = call.Input(0);
  const float* dy = call.Input(1);
  float* c = call.Output(0);
  const std::int64_t block = call.panels.k_block;
  ForTiles(call, dw, [&](const Tile& tile) {
    float* out = c + tile.row * dw.columns + tile.column;
    if (rows == 0)
      for (std::int64_t row = 0; row < tile.rows; ++row)
        std::fill_n(out + row * dw.columns, tile.columns, 0.0F);
    for (std::int64_t begin = 0; begin < rows; begin += block)
      call.kernels.matmul_at(tile.rows, tile.columns,
                             std::min(block, rows - begin),
                             x + begin * dw.rows + tile.row, dw.rows,
                             dy + begin * dw.columns + tile.column, dw.columns,
                             out, dw.columns, begin > 0 ? 1 : 0);
  });
}

// Column sums of each K-block of rows, then the blocks' sums in order.
void BiasGrad(const OpCall& call) {
  const MatrixView dy = call.InputView(0);
  const float* in = call.Input(0);
  float* out = call.Output(0);
  const std::int64_t block = call.panels.k_block;
  const std::int64_t blocks = PanelCount(dy.rows, block);
  std::vector<float> partial(static_cast<std::size_t>(blocks * dy.columns));
  ForPanels(call.parallel, dy.rows, block,
            [&](std::int64_t begin, std::int64_t end) {
              call.kernels.column_sums(
                  end - begin, dy.columns, in + begin * dy.columns,
                  partial.data() + begin / block * dy.columns, 0);
            });
  std::fill_n(out, dy.columns, 0.0F);
  if (blocks > 0)
    call.kernels.column_sums(blocks, dy.columns, partial.data(), out, 0);
}

// fn(first row, rows, columns) for each row panel of output 0.
template <typename Fn>
void ForRowPanels(const OpCall& call, const Fn& fn) {
  const MatrixView view = call.OutputView(0);
  ForPanels(call.parallel, view.rows, call.panels.rows,
            [&](std::int64_t begin, std::int64_t end) {
              fn(begin, end - begin, view.columns);
            });
}

void AddBias(const OpCall& call) {
  const float* x = call.Input(0);
  const float* bias = call.Input(1);
  float* y = call.Output(0);
  ForRowPanels(call, [&](std::int64_t row, std::int64_t m, std::int64_t n) {
    call.kernels.add_bias(m, n, x + row * n, bias, y + row * n);
  });
}

void Relu(const OpCall& call) {
  const float* x = call.Input(0);
  float* y = call.Output(0);
  ForRowPanels(call, [&](std::int64_t row, std::int64_t m, std::int64_t n) {
    call.kernels.relu(m * n, x + row * n, y + row * n);
  });
}

void ReluGrad(const OpCall& call) {
  const float* dy = call.Input(0);
  const float* y = call.Input(1);
  float* dx = call.Output(0);
  ForRowPanels(call, [&](std::int64_t row, std::int64_t m, std::int64_t n) {
    call.kernels.relu_grad(m * n, dy + row * n, y + row * n, dx + row * n);
  });
}

void RoundBFloat16(const OpCall& call) {
  const float* x = call.Input(0);
  float* y = call.Output(0);
  ForRowPanels(call, [&](std::int64_t row, std::int64_t m, std::int64_t n) {
    call.kernels.round_bfloat16(m * n, x + row * n, y + row * n);
  });
}

// No entry in the kernel table: a sum of two floats has the same bits on every
// ISA level.
void Add(const OpCall& call) {
  const float* a = call.Input(0);
  const float* b = call.Input(1);
  float* out = call.Output(0);
  ForRowPanels(call, [&](std::int64_t row, std::int64_t m, std::int64_t n) {
    for (std::int64_t i = row * n; i < (row + m) * n; ++i) out[i] = a[i] + b[i];
  });
}

void Reshape(const OpCall& call) {
  const float* x = call.Input(0);
  float* y = call.Output(0);
  ForRowPanels(call, [&](std::int64_t row, std::int64_t m, std::int64_t n) {
    std::memcpy(y + row * n, x + row * n,
                static_cast<std::size_t>(m * n) * sizeof(float));
  });
}

void SoftmaxXent(const OpCall& call) {
  const float* logits = call.Input(0);
  const std::int32_t* labels = call.Labels(1);
  float* prob = call.Output(0);
  float* loss = call.Output(1);
  float* correct = call.Output(2);
  ForRowPanels(call, [&](std::int64_t row, std::int64_t m, std::int64_t n) {
    call.kernels.softmax_xent(m, n, logits + row * n, labels + row,
                              prob + row * n, loss + row, correct + row);
  });
}

void SoftmaxXentGrad(const OpCall& call) {
  const float* prob = call.Input(0);
  const std::int32_t* labels = call.Labels(1);
  const float* weight = call.Input(2);
  float* dlogits = call.Output(0);
  ForRowPanels(call, [&](std::int64_t row, std::int64_t m, std::int64_t n) {
    call.kernels.softmax_xent_grad(m, n, prob + row * n, labels + row,
                                   weight + row, dlogits + row * n);
  });
}

void SgdMomentumStep(const OpCall& call) {
  const float* gradient = call.Input(0);
  float* slot = call.Output(0);
  float* variable = call.Output(1);
  const MatrixView view = call.OutputView(1);
  ForPanels(call.parallel, view.rows * view.columns, kElementPanel,
            [&](std::int64_t begin, std::int64_t end) {
              call.kernels.sgd_momentum(end - begin, call.scalars.learning_rate,
                                        call.instruction.attributes.momentum,
                                        gradient + begin, slot + begin,
                                        variable + begin);
            });
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
  if (tensor.storage == Storage::kVariable &&
      instruction.attributes.rounded_operands)
    return buffers.rounded.data() + tensor.offset;
  return Address(*this, tensor);
}

float* OpCall::Output(std::size_t i) const {
  const ProgramTensor& tensor = OutputTensor(*this, i);
  PODSIM_CHECK(tensor.storage != Storage::kInput);
  return Address(*this, tensor);
}

const std::int32_t* OpCall::Labels(std::size_t i) const {
  PODSIM_CHECK(instruction.inputs[i] == program.labels);
  return buffers.labels.data();
}

OpKernel KernelOf(OpCode op) {
  switch (op) {
    case OpCode::kMatMul:
      return MatMul;
    case OpCode::kAddBias:
      return AddBias;
    case OpCode::kRelu:
      return Relu;
    case OpCode::kAdd:
      return Add;
    case OpCode::kReshape:
      return Reshape;
    case OpCode::kSoftmaxXent:
      return SoftmaxXent;
    case OpCode::kMatMulGradInput:
      return MatMulGradInput;
    case OpCode::kMatMulGradWeight:
      return MatMulGradWeight;
    case OpCode::kBiasGrad:
      return BiasGrad;
    case OpCode::kReluGrad:
      return ReluGrad;
    case OpCode::kSoftmaxXentGrad:
      return SoftmaxXentGrad;
    case OpCode::kRoundBFloat16:
      return RoundBFloat16;
    case OpCode::kSgdMomentum:
      return SgdMomentumStep;
  }
  return nullptr;
}

}  // namespace podsim
