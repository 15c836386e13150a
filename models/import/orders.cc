#include "models/import/orders.h"

#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "models/import/reducer.h"

namespace podsim {
namespace {

// 0, 1, 2, ... along that dimension.
bool CountsAlong(const FlatBuilder& builder, int array,
                 std::int64_t dimension) {
  const FlatOp* op = &builder.op(array);
  if (op->Is("broadcast_in_dim")) {
    const auto dims = op->attributes.List("broadcast_dimensions");
    const FlatOp* from = &builder.op(op->operands[0]);
    return from->Is("iota") && from->type.shape.rank() == 1 &&
           dims[0] == dimension;
  }
  return op->Is("iota") &&
         op->attributes.Int("iota_dimension", -1) == dimension;
}

absl::StatusOr<int> PlacesAs(FlatBuilder& builder, int places, DType dtype) {
  if (builder.type(places).dtype == dtype) return places;
  OpAttributes element;
  element.dtype = dtype;
  return builder.Emit("convert", {places}, std::move(element));
}

// Where the elements of `x` along a dimension come from when they are in order.
absl::StatusOr<int> OrderOf(FlatBuilder& builder, int x, std::int64_t dimension,
                            const char* word) {
  OpAttributes along;
  along.word = word;
  along.lists["dimension"] = {dimension};
  return builder.Emit("arg_sort", {x}, std::move(along));
}

// Of each line of `x` along a dimension the elements at the line's `places`.
absl::StatusOr<int> Taken(FlatBuilder& builder, int x, int places,
                          std::int64_t dimension) {
  const std::int64_t rank = builder.type(x).shape.rank();
  std::vector<std::int64_t> others;
  for (std::int64_t i = 0; i < rank; ++i)
    if (i != dimension) others.push_back(i);
  OpAttributes attributes;
  attributes.lists = {{"offset_dims", {}},
                      {"collapsed_slice_dims", {dimension}},
                      {"operand_batching_dims", others},
                      {"start_indices_batching_dims", others},
                      {"start_index_map", {dimension}},
                      {"index_vector_dim", {rank}},
                      {"slice_sizes", std::vector<std::int64_t>(
                                          static_cast<std::size_t>(rank), 1)}};
  return builder.Emit("gather", {x, places}, std::move(attributes));
}

absl::StatusOr<int> FirstAlong(FlatBuilder& builder, int x,
                               std::int64_t dimension, std::int64_t count) {
  const Shape& shape = builder.type(x).shape;
  OpAttributes part;
  for (int i = 0; i < shape.rank(); ++i) {
    part.lists["start_indices"].push_back(0);
    part.lists["limit_indices"].push_back(
        i == dimension ? count : shape.dims[static_cast<std::size_t>(i)]);
    part.lists["strides"].push_back(1);
  }
  return builder.Emit("slice", {x}, std::move(part));
}

absl::Status SeveralArrays() {
  return absl::UnimplementedError(
      "it folds several arrays at once; podsim does where it is argmax or "
      "argmin along one dimension, otherwise fold one array after the other");
}

// What is smallest becomes largest. A whole number's bits are turned over:
// the least one has no negative.
absl::StatusOr<int> TurnedOver(FlatBuilder& builder, int x) {
  const DType dtype = builder.type(x).dtype;
  const bool floats = dtype == DType::kFloat32 || dtype == DType::kBFloat16;
  return builder.Emit(floats ? "negate" : "not", {x});
}

}  // namespace

absl::StatusOr<std::vector<int>> EmitArgExtreme(FlatBuilder& builder,
                                                const HloUse& use,
                                                const std::string& word) {
  if (word.empty()) return SeveralArrays();
  OpAttributes over;
  over.lists["dimensions"].assign(use.from.dimensions().begin(),
                                  use.from.dimensions().end());
  if (over.List("dimensions").size() != 1 ||
      !CountsAlong(builder, use.operands[1], over.List("dimensions")[0]) ||
      builder.type(use.operands[1]).shape !=
          builder.type(use.operands[0]).shape)
    return SeveralArrays();
  int x = use.operands[0];
  if (word == "minimum") {
    PODSIM_ASSIGN_OR_RETURN(x, TurnedOver(builder, x));
  }
  PODSIM_ASSIGN_OR_RETURN(int place, builder.Emit("arg_max", {x}, over));
  PODSIM_ASSIGN_OR_RETURN(
      place, PlacesAs(builder, place, builder.type(use.operands[1]).dtype));
  over.word = word;
  PODSIM_ASSIGN_OR_RETURN(const int value,
                          builder.Emit("reduce", {use.operands[0]}, over));
  return std::vector{value, place};
}

absl::StatusOr<std::vector<int>> EmitSort(FlatBuilder& builder,
                                          const HloUse& use) {
  if (use.operands.empty() || use.from.dimensions_size() != 1)
    return absl::InvalidArgumentError("it needs one dimension and an operand");
  const ValueType first = builder.type(use.operands[0]);
  const bool floats =
      first.dtype == DType::kFloat32 || first.dtype == DType::kBFloat16;
  if (use.word() != (floats ? kAscendingFloats : "LT"))
    return absl::UnimplementedError(
        "it sorts by more than one array, or in an order of its own; podsim "
        "sorts as jnp.sort does, by the first");
  const std::int64_t dimension = use.from.dimensions(0);
  PODSIM_ASSIGN_OR_RETURN(const int places,
                          OrderOf(builder, use.operands[0], dimension, "LT"));
  std::vector<int> results;
  for (const int operand : use.operands) {
    if (builder.type(operand).shape != first.shape)
      return absl::InvalidArgumentError("its operands have different shapes");
    PODSIM_ASSIGN_OR_RETURN(
        results.emplace_back(),
        CountsAlong(builder, operand, dimension)
            ? PlacesAs(builder, places, builder.type(operand).dtype)
            : Taken(builder, operand, places, dimension));
  }
  return results;
}

absl::StatusOr<std::vector<int>> EmitTopK(FlatBuilder& builder,
                                          const HloUse& use) {
  if (use.operands.size() != 1)
    return absl::InvalidArgumentError("it needs one operand");
  if (!use.from.largest())
    return absl::UnimplementedError(
        "it takes the smallest; negate and take "
        "the largest");
  const Shape shape = builder.type(use.operands[0]).shape;
  const std::int64_t dimension = shape.rank() - 1;
  if (dimension < 0 || use.from.k() < 1 || use.from.k() > shape.dims.back())
    return absl::InvalidArgumentError(
        absl::StrCat("it takes ", use.from.k(), " of a row"));
  PODSIM_ASSIGN_OR_RETURN(int places,
                          OrderOf(builder, use.operands[0], dimension, "GT"));
  PODSIM_ASSIGN_OR_RETURN(places,
                          FirstAlong(builder, places, dimension, use.from.k()));
  PODSIM_ASSIGN_OR_RETURN(const int values,
                          Taken(builder, use.operands[0], places, dimension));
  return std::vector{values, places};
}

}  // namespace podsim
