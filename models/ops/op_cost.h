// What there is to do in an op, in terms that know no machine. What a chip
// makes of it (kernels, tiles, passes, the cost of an exponential) is for chip/
// to say: chip/step.h.
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

// tests/models/ops/op_cost_test.cc counts it again, by plain loops.
struct OpCost {
  std::vector<MatrixProduct> products;
  // Additions, multiplications, divisions, comparisons, choices, extremes,
  // operations on bits, conversions. A fold counts one for each element that is
  // folded in. Left out is what is done once, however large the operands are
  // (the root of a norm).
  double vector_flops = 0;
  double transcendentals = 0;  // exponentials, logarithms, roots, ...
  // Each operand read once, each result written once, unless part of the op
  // must wait for the whole of another (a norm). An op that takes a part of an
  // operand (slice, gather) reads that part. An op that changes a part of
  // operand 0 (scatter) writes that part, and reads it if it adds to it; the
  // rest stays where it is.
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

// The bytes alone, of an op that reads no more of operand 0 than the result
// has, and all of the others.
OpCost PartCost(const OpSignature& signature, std::int64_t rows);

// The bytes, and so many vector operations per element of operand 0.
template <int kOperations>
OpCost FirstOperandCost(const OpSignature& signature, std::int64_t rows) {
  OpCost cost = CopyCost(signature, rows);
  cost.vector_flops = kOperations * Elements(signature.inputs[0], rows);
  return cost;
}

}  // namespace podsim

#endif  // PODSIM_MODELS_OPS_OP_COST_H_
