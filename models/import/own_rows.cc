// Each example's own row, as x[arange(B), y] is lowered: places that count the
// examples become a dimension that operand and indices share.
#include "models/import/own_rows.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace podsim {
namespace {

using Found = std::optional<absl::StatusOr<int>>;
using Dims = std::vector<std::int64_t>;

bool HasBatchFirst(const Shape& shape) {
  return shape.batch_axis == 0 && shape.dims[0] == 1;
}

// 0, 1, 2, ... along the batch, the outermost dimension.
bool CountsExamples(const FlatBuilder& builder, int place) {
  while (HasBatchFirst(builder.type(place).shape)) {
    const FlatOp& op = builder.op(place);
    if (IsBatchIota(op)) return true;
    if (!op.Is("Reshape") && !op.Is("broadcast_in_dim")) return false;
    place = op.operands[0];
  }
  return false;
}

Dims Without(const OpAttributes& attributes, const std::string& list,
             std::int64_t value) {
  const auto from = attributes.List(list);
  Dims to(from.begin(), from.end());
  to.erase(std::remove(to.begin(), to.end(), value), to.end());
  return to;
}

// The indices without those that count the examples, which are the first of
// each vector. None if they are not made so.
std::optional<absl::StatusOr<int>> OtherIndices(FlatBuilder& builder,
                                                int indices,
                                                std::int64_t vector_dim) {
  const FlatOp parts = builder.op(indices);  // the function grows
  if (!parts.Is("concatenate") ||
      parts.attributes.Int("dimension", -1) != vector_dim ||
      parts.operands.size() < 2 ||
      !CountsExamples(builder, parts.operands[0]) ||
      builder.type(parts.operands[0])
              .shape.dims[static_cast<std::size_t>(vector_dim)] != 1)
    return std::nullopt;
  return builder.Emit("concatenate",
                      {parts.operands.begin() + 1, parts.operands.end()},
                      parts.attributes);
}

struct RowLists {
  const char* dropped;
  const char* operand_batch;
  const char* index_batch;
  const char* map;
};

Found OwnRows(FlatBuilder& builder, const FlatOp& op, const RowLists& lists) {
  const auto map = op.attributes.List(lists.map);
  const Shape& operand = builder.type(op.operands[0]).shape;
  if (map.empty() || !HasBatchFirst(operand) || map[0] != 0 ||
      !op.attributes.List(lists.operand_batch).empty())
    return std::nullopt;
  const auto dropped = op.attributes.List(lists.dropped);
  if (std::find(dropped.begin(), dropped.end(), 0) == dropped.end())
    return std::nullopt;
  auto others = OtherIndices(builder, op.operands[1],
                             op.attributes.Int("index_vector_dim", -1));
  if (!others.has_value()) return std::nullopt;
  if (!others->ok()) return others;
  OpAttributes attributes = op.attributes;
  attributes.lists[lists.dropped] = Without(op.attributes, lists.dropped, 0);
  attributes.lists[lists.operand_batch] = {0};
  attributes.lists[lists.index_batch] = {0};
  attributes.lists[lists.map] = {map.begin() + 1, map.end()};
  std::vector<int> operands = op.operands;
  operands[1] = **others;
  return builder.Emit(op.entry->name, std::move(operands),
                      std::move(attributes));
}

}  // namespace

bool IsBatchIota(const FlatOp& op) {
  return op.Is("iota") && op.type.batched() &&
         op.attributes.Int("iota_dimension", -1) == op.type.shape.batch_axis;
}

std::optional<absl::StatusOr<int>> PlaceIsNotNegative(FlatBuilder& builder,
                                                      const FlatOp& op) {
  if (!op.Is("compare") || op.attributes.word != "LT" ||
      !CountsExamples(builder, op.operands[0]) ||
      builder.NumberOf(op.operands[1]) != 0)
    return std::nullopt;
  return builder.Constant({DType::kBool, op.type.shape}, {0});
}

std::optional<absl::StatusOr<int>> GatherOfOwnRows(FlatBuilder& builder,
                                                   const FlatOp& op) {
  if (!op.Is("gather")) return std::nullopt;
  return OwnRows(builder, op,
                 {"collapsed_slice_dims", "operand_batching_dims",
                  "start_indices_batching_dims", "start_index_map"});
}

std::optional<absl::StatusOr<int>> ScatterToOwnRows(FlatBuilder& builder,
                                                    const FlatOp& op) {
  if (!op.Is("scatter")) return std::nullopt;
  return OwnRows(
      builder, op,
      {"inserted_window_dims", "input_batching_dims",
       "scatter_indices_batching_dims", "scatter_dims_to_operand_dims"});
}

}  // namespace podsim
