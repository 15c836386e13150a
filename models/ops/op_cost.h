// What there is to do in an op, in terms that know no machine. What a machine
// makes of it (tiles, passes, how dear an exponential is) is for who prices it:
// host/core/pricer.h.
#ifndef PODSIM_MODELS_OPS_OP_COST_H_
#define PODSIM_MODELS_OPS_OP_COST_H_

#include <cstdint>
#include <span>
#include <vector>

#include "models/ops/op.h"
#include "models/ops/value_type.h"

namespace podsim {

// C[M,N] = A[M,K] * B[K,N], whichever way its operands lie.
struct MatrixProduct {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  bool rounded_operands = false;  // to bfloat16; else float32
  std::int64_t count = 1;         // such products, with operands of their own
  // Of the m * n * k multiply-adds of each product, those that are no work
  // because one factor is padding or a hole: a convolution's taps beyond the
  // edges of its input, or on the zeros that a dilation puts between elements
  // (the gradient of a strided convolution has such). A whole number.
  double idle_multiply_adds = 0;
};

// Multiply-adds of all `count` products without the idle ones; two
// floating-point operations each.
double UsefulMultiplyAdds(const MatrixProduct& product);

// Their share of m * n * k * count, in [0, 1].
double UsefulShare(const MatrixProduct& product);

struct OpCost {
  std::vector<MatrixProduct> products;
  double vector_flops = 0;     // additions, multiplications, comparisons
  double transcendentals = 0;  // exponentials, logarithms, ...
  // Each operand read once, each result written once, unless part of the op
  // must wait for the whole of another (a norm).
  double bytes_read = 0;
  double bytes_written = 0;
};

struct OpSignature {
  std::span<const ValueType> inputs;
  std::span<const ValueType> outputs;
  const OpAttributes& attributes;
};

// `rows`: B, of one core.
double Elements(const ValueType& type, std::int64_t rows);
double Bytes(std::span<const ValueType> types, std::int64_t rows);

// The bytes alone.
OpCost CopyCost(const OpSignature& signature, std::int64_t rows);

// One vector operation per operand and element of the largest operand.
OpCost OperandCost(const OpSignature& signature, std::int64_t rows);

}  // namespace podsim

#endif  // PODSIM_MODELS_OPS_OP_COST_H_
