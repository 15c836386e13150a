#include "models/import/patterns.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "models/import/barriers.h"
#include "models/import/cross_entropy.h"
#include "models/import/known_places.h"
#include "models/import/own_rows.h"
#include "models/ops/rules.h"

namespace podsim {
namespace {

using Found = std::optional<absl::StatusOr<int>>;

const FlatOp& Operand(const FlatBuilder& builder, const FlatOp& op,
                      std::size_t i) {
  return builder.op(op.operands[i]);
}

bool IsNumber(const FlatBuilder& builder, int place, double number) {
  const auto known = builder.NumberOf(place);
  return known && *known == number;
}

// A value that sees rows of examples.
bool IsBatchRows(const ValueType& type) {
  return IsRows(type) && type.batched();
}

// A barrier stands before shapes and repetitions, so that what is computed
// again is read by the same patterns as what was computed before.
Found BarrierOfMoved(FlatBuilder& builder, const FlatOp& op) {
  if (!op.Is(kBarrier)) return std::nullopt;
  std::vector<FlatOp> moves;  // the last one first
  int place = op.operands[0];
  while (builder.op(place).IsAnyOf({"Reshape", "broadcast_in_dim"})) {
    moves.push_back(builder.op(place));
    place = moves.back().operands[0];
  }
  if (moves.empty()) return std::nullopt;
  absl::StatusOr<int> moved = builder.Emit(kBarrier, {place});
  for (std::size_t i = moves.size(); i-- > 0 && moved.ok();)
    moved = builder.Emit(moves[i].entry->name, {*moved}, moves[i].attributes);
  return moved;
}

// A shape that comes and goes is the last one.
absl::StatusOr<int> ReshapedOnce(FlatBuilder& builder, int place,
                                 const Shape& shape) {
  if (builder.op(place).Is("Reshape")) place = builder.op(place).operands[0];
  OpAttributes attributes;
  attributes.shape = shape;
  return builder.Emit("Reshape", {place}, std::move(attributes));
}

Found ReshapeOfReshape(FlatBuilder& builder, const FlatOp& op) {
  if (!op.Is("Reshape") || !Operand(builder, op, 0).Is("Reshape"))
    return std::nullopt;
  return ReshapedOnce(builder, op.operands[0], op.attributes.shape);
}

// f(shaped x, 1) is shaped f(x, 1), so that what is computed under several
// shapes is computed once.
Found ElementsOfReshape(FlatBuilder& builder, const FlatOp& op) {
  if (op.entry == nullptr || !op.entry->is_element_wise) return std::nullopt;
  std::optional<Shape> shape;
  for (const int operand : op.operands) {
    if (builder.NumberOf(operand)) continue;
    if (!builder.op(operand).Is("Reshape")) return std::nullopt;
    const Shape& from = builder.type(builder.op(operand).operands[0]).shape;
    if (shape && *shape != from) return std::nullopt;
    shape = from;
  }
  if (!shape) return std::nullopt;
  std::vector<int> bare;
  for (const int operand : op.operands) {
    const auto number = builder.NumberOf(operand);
    bare.push_back(
        number
            ? builder.Constant({builder.type(operand).dtype, *shape}, {*number})
            : builder.op(operand).operands[0]);
  }
  const auto made =
      builder.Emit(op.entry->name, std::move(bare), op.attributes);
  if (!made.ok()) return std::nullopt;
  return ReshapedOnce(builder, *made, op.type.shape);
}

// The fold of one element is that element.
Found FoldOfOne(FlatBuilder& builder, const FlatOp& op) {
  if (!op.Is("reduce")) return std::nullopt;
  const Shape& shape = builder.type(op.operands[0]).shape;
  for (const std::int64_t dim : op.attributes.List("dimensions"))
    if (dim == shape.batch_axis ||
        shape.dims[static_cast<std::size_t>(dim)] != 1)
      return std::nullopt;
  return ReshapedOnce(builder, op.operands[0], op.type.shape);
}

// The one dimension that a side of a product of two matrices is summed over;
// -1 if it is another kind of product.
int SummedOf(const FlatOp& op, const char* list, const ValueType& side) {
  const auto dims = op.attributes.List(list);
  if (!op.Is("dot_general") || side.shape.rank() != 2 || dims.size() != 1 ||
      !op.attributes.List("lhs_batching_dimensions").empty())
    return -1;
  return static_cast<int>(dims[0]);
}

OpAttributes Precision(const FlatOp& product) {
  OpAttributes attributes;
  const auto full = product.attributes.lists.find(kFullPrecision);
  if (full != product.attributes.lists.end()) attributes.lists.insert(*full);
  return attributes;
}

// a and b of a . b, where a is summed over dimension `of_a`.
Found Product(FlatBuilder& builder, const FlatOp& product, int a, int of_a,
              int b, int of_b) {
  const ValueType& left = builder.type(a);
  const ValueType& right = builder.type(b);
  if (!IsRows(left) || !IsRows(right)) return std::nullopt;
  if (of_a == 1 && !right.batched())
    return builder.Emit(of_b == 0 ? "MatMul" : "MatMulGradInput", {a, b},
                        Precision(product));
  if (of_a == 0 && of_b == 0 && left.batched() == right.batched())
    return builder.Emit("MatMulGradWeight", {a, b}, Precision(product));
  return std::nullopt;
}

Found MatrixProduct(FlatBuilder& builder, const FlatOp& op) {
  if (!op.Is("dot_general")) return std::nullopt;
  const int a = op.operands[0];
  const int b = op.operands[1];
  const int of_a = SummedOf(op, "lhs_contracting_dimensions", builder.type(a));
  const int of_b = SummedOf(op, "rhs_contracting_dimensions", builder.type(b));
  if (of_a < 0 || of_b < 0) return std::nullopt;
  return Product(builder, op, a, of_a, b, of_b);
}

// (a . b)^T is b^T . a^T: frameworks write the gradient of a weight so.
Found TransposedProduct(FlatBuilder& builder, const FlatOp& op) {
  if (!op.Is("transpose") || op.type.shape.rank() != 2) return std::nullopt;
  const FlatOp& product = Operand(builder, op, 0);
  if (!product.Is("MatMulGradWeight")) return std::nullopt;
  return builder.Emit("MatMulGradWeight",
                      {product.operands[1], product.operands[0]},
                      product.attributes);
}

// x + b in each row.
Found Bias(FlatBuilder& builder, const FlatOp& op) {
  if (!op.Is("add") || !IsBatchRows(op.type)) return std::nullopt;
  for (const std::size_t i : {0U, 1U}) {
    const FlatOp& spread = Operand(builder, op, i);
    const bool is_bias =
        spread.Is("broadcast_in_dim") &&
        spread.attributes.List("broadcast_dimensions").size() == 1 &&
        spread.attributes.List("broadcast_dimensions")[0] == 1 &&
        builder.type(spread.operands[0]).shape.dims[0] == op.type.shape.dims[1];
    if (is_bias)
      return builder.Emit("AddBias", {op.operands[1 - i], spread.operands[0]});
  }
  return std::nullopt;
}

Found BiasGradient(FlatBuilder& builder, const FlatOp& op) {
  if (!op.Is("reduce") || op.attributes.word != "add" ||
      !IsBatchRows(builder.type(op.operands[0])))
    return std::nullopt;
  const auto dims = op.attributes.List("dimensions");
  if (dims.size() != 1 || dims[0] != 0) return std::nullopt;
  return builder.Emit("BiasGrad", {op.operands[0]});
}

Found Relu(FlatBuilder& builder, const FlatOp& op) {
  if (!op.Is("maximum") || op.type.dtype != DType::kFloat32)
    return std::nullopt;
  for (const std::size_t i : {0U, 1U})
    if (IsNumber(builder, op.operands[1 - i], 0))
      return builder.Emit("Relu", {op.operands[i]});
  return std::nullopt;
}

// dy where x > 0, else 0. Where x is also what Relu reads its result does as
// well and lies in memory anyway.
Found ReluGradient(FlatBuilder& builder, const FlatOp& op) {
  if (!op.Is("select") || op.type.dtype != DType::kFloat32 ||
      !IsNumber(builder, op.operands[2], 0))
    return std::nullopt;
  const FlatOp& where = Operand(builder, op, 0);
  if (!where.Is("compare") || where.attributes.word != "GT" ||
      builder.type(where.operands[0]) != op.type ||
      !IsNumber(builder, where.operands[1], 0))
    return std::nullopt;
  const int relu = builder.Find("Relu", {where.operands[0]});
  return builder.Emit("ReluGrad",
                      {op.operands[1], relu >= 0 ? relu : where.operands[0]});
}

constexpr Pattern kPatterns[] = {
    PlaceIsNotNegative,  // before it is compared under another shape
    BarrierOfMoved,
    ReshapeOfReshape,
    ElementsOfReshape,
    FoldOfOne,
    MatrixProduct,
    TransposedProduct,
    Bias,
    BiasGradient,
    Relu,
    ReluGradient,
    GatherOfOwnRows,
    ScatterToOwnRows,
    GatherOfOnePlace,
    ScatterToOnePlace,
    SumIsNotNegative,
    LogLikelihood,
    CrossEntropy,
    CrossEntropyGradient,
};

}  // namespace

std::span<const Pattern> Patterns() { return kPatterns; }

}  // namespace podsim
