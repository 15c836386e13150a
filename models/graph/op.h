// The operations that graphs and Programs are made of, by name. What each one
// means (shapes, gradient, cost) stands in op_table.h; how it is computed, in
// host/core/op_kernels.h.
#ifndef PODSIM_MODELS_GRAPH_OP_H_
#define PODSIM_MODELS_GRAPH_OP_H_

#include <array>
#include <cstdint>
#include <string>

#include "models/kernels/shape.h"

namespace podsim {

// Operands are listed input, input -> output. Letters: M rows, K summed, N
// columns, B rows of a batch; x and dx, y and dy: a value and the gradient of
// the loss with respect to it.
enum class OpCode : std::uint8_t {
  kMatMul,           // x[M,K], w[K,N] -> y[M,N]
  kAddBias,          // x[M,N], b[N] -> y[M,N]
  kRelu,             // x -> y = max(x, 0)
  kAdd,              // a, b -> a + b, equal shapes
  kReshape,          // x -> the same elements in attributes.shape
  kSoftmaxXent,      // logits[B,N], labels[B] -> prob[B,N], loss[B], correct[B]
  kMatMulGradInput,  // dy[M,N], w[K,N] -> dx[M,K] = dy * w^T
  kMatMulGradWeight,  // x[M,K], dy[M,N] -> dw[K,N] = x^T * dy
  kBiasGrad,          // dy[M,N] -> db[N], column sums
  kReluGrad,          // dy, y -> dx = y > 0 ? dy : 0
  kSoftmaxXentGrad,   // prob[B,N], labels[B], dloss[B] -> dlogits[B,N]
  kRoundBFloat16,     // x -> x rounded to bfloat16, nearest even
  kClip,              // g... -> g... times min(1, clip_norm / |g...|), in place
  kUpdate,  // g, slots..., w -> slots..., w by attributes.rule, whose u may
            // take g's place
};

inline constexpr std::array kAllOpCodes = {
    OpCode::kMatMul,
    OpCode::kAddBias,
    OpCode::kRelu,
    OpCode::kAdd,
    OpCode::kReshape,
    OpCode::kSoftmaxXent,
    OpCode::kMatMulGradInput,
    OpCode::kMatMulGradWeight,
    OpCode::kBiasGrad,
    OpCode::kReluGrad,
    OpCode::kSoftmaxXentGrad,
    OpCode::kRoundBFloat16,
    OpCode::kClip,
    OpCode::kUpdate,
};

struct OpAttributes {
  // Products: both operands are read rounded to bfloat16, the left side from a
  // rounded copy, the right side as it is packed. Set by Compile.
  bool rounded_operands = false;
  // kUpdate: the rule's number (models/rules/update_rules.h), and whether
  // weight decay and the trust ratio apply to this variable.
  std::int32_t rule = 0;
  bool decays = false;
  bool trusts = false;
  // kReshape: without the batch dimension if the operand is batched.
  Shape shape;
};

// "MatMul"; REQUIRES: one of kAllOpCodes.
std::string ToString(OpCode op);

}  // namespace podsim

#endif  // PODSIM_MODELS_GRAPH_OP_H_
