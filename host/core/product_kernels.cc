// The three matrix products of op_kernels.h.
#include "host/core/op_kernels.h"

namespace podsim {
namespace {

const PodsimProducts& ProductsOf(const OpCall& call) {
  return call.instruction.attributes.rounded_operands ? call.kernels.bfloat16
                                                      : call.kernels.float32;
}

// Rows of result 0, from rows of operand 0 and the packed right side.
void MultiplyRows(const OpCall& call, std::int64_t begin, std::int64_t end) {
  const std::int64_t n = call.OutputView(0).columns;
  const std::int64_t k = call.InputView(0).columns;
  ProductsOf(call).multiply(end - begin, n, k, call.Input(0) + begin * k, k,
                            call.packed, call.Output(0) + begin * n, n);
}

}  // namespace

void MatMulRows(const OpCall& call, std::int64_t begin, std::int64_t end) {
  MultiplyRows(call, begin, end);
}

// dx[M,K] = dy[M,N] * w[K,N]^T: the right side is w, transposed.
void MatMulGradInputRows(const OpCall& call, std::int64_t begin,
                         std::int64_t end) {
  MultiplyRows(call, begin, end);
}

// dw[K,N] = x[R,K]^T * dy[R,N], rows summed a K-block at a time, in order.
void MatMulGradWeight(const OpCall& call) {
  const MatrixView dw = call.OutputView(0);
  const std::int64_t rows = call.InputView(0).rows;
  const float* x = call.Input(0);
  const float* dy = call.Input(1);
  float* out = call.Output(0);
  if (rows == 0) std::fill_n(out, dw.rows * dw.columns, 0.0F);
  const PodsimProducts& products = ProductsOf(call);
  const std::int64_t block = std::min(call.panels.k_block, rows);
  float* packed = call.buffers.workspace->Slot(
      0, products.packed_elements(dw.columns, block));
  for (std::int64_t first = 0; first < rows; first += block) {
    const std::int64_t k = std::min(block, rows - first);
    ForPanels(call.parallel, dw.columns, call.panels.columns,
              [&](std::int64_t begin, std::int64_t end) {
                const TimedWork timed(call.buffers.times, Work::kPacking);
                products.pack(dw.columns, k, dy + first * dw.columns,
                              dw.columns, begin, end, packed);
              });
    ForPanels(call.parallel, dw.rows, call.panels.rows,
              [&](std::int64_t begin, std::int64_t end) {
                const TimedWork timed(call.buffers.times, Work::kProducts);
                products.multiply_at(end - begin, dw.columns, k,
                                     x + first * dw.rows + begin, dw.rows,
                                     packed, out + begin * dw.columns,
                                     dw.columns, first > 0 ? 1 : 0);
              });
  }
}

}  // namespace podsim
