// In which type an op of a graph that computes in bfloat16 takes its operands
// and leaves its results (Graph::ComputeIn): what flax layers of
// dtype=bfloat16 and float32 parameters lower to. Pure.
#ifndef PODSIM_MODELS_GRAPH_OP_PRECISION_H_
#define PODSIM_MODELS_GRAPH_OP_PRECISION_H_

#include <cstdint>
#include <optional>
#include <span>

#include "models/ops/op_entry.h"

namespace podsim {

enum class OpPrecision : std::uint8_t {
  // Elements that move, are chosen or compared keep their type; float operands
  // of two types are rounded to bfloat16.
  kAsGiven,
  // Element by element: operands are rounded to bfloat16, and so are results.
  kBFloat16,
  // Sums and products over dimensions, collectives, and ops whose kernels know
  // no other type: operands become float32, and results stay so.
  kFloat32,
  // Matrix products and convolutions: operands are rounded to bfloat16, summed
  // in float32, and the sums rounded once.
  kProduct,
};

// Of a use of the op in such a graph. A product that asks for full precision
// (kFullPrecision, op.h) is kFloat32.
OpPrecision PrecisionOf(const OpEntry& entry, const OpAttributes& attributes);

// What float operands of these types become before the op reads them, a
// product's before they are widened again; none: each stays as it is.
std::optional<DType> OperandType(OpPrecision precision,
                                 std::span<const ValueType> operands);

}  // namespace podsim

#endif  // PODSIM_MODELS_GRAPH_OP_PRECISION_H_
