#include "models/import/known_places.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace podsim {
namespace {

using Found = std::optional<absl::StatusOr<int>>;
using Dims = std::vector<std::int64_t>;

struct Lists {
  const char* operand_batch;
  const char* map;
};

// Where the one window of `op` begins in the operand; none if there are several
// or it is not known.
std::optional<Dims> StartOf(const FlatBuilder& builder, const FlatOp& op,
                            const Lists& lists) {
  const auto map = op.attributes.List(lists.map);
  const auto numbers = builder.NumbersOf(op.operands[1]);
  if (!numbers || numbers->size() != map.size() ||
      !op.attributes.List(lists.operand_batch).empty())
    return std::nullopt;
  Dims start(builder.type(op.operands[0]).shape.dims.size());
  for (std::size_t i = 0; i < map.size(); ++i)
    start[static_cast<std::size_t>(map[i])] =
        static_cast<std::int64_t>((*numbers)[i]);
  return start;
}

OpAttributes To(const Shape& shape) {
  OpAttributes attributes;
  attributes.shape = shape;
  return attributes;
}

// A rule that leads nowhere does not apply.
Found IfGood(absl::StatusOr<int> place) {
  if (!place.ok()) return std::nullopt;
  return place;
}

Found Sliced(FlatBuilder& builder, const FlatOp& op, const Dims& start,
             const Dims& sizes) {
  OpAttributes part;
  for (std::size_t i = 0; i < start.size(); ++i) {
    part.lists["start_indices"].push_back(start[i]);
    part.lists["limit_indices"].push_back(start[i] + sizes[i]);
    part.lists["strides"].push_back(1);
  }
  const auto slice = builder.Emit("slice", {op.operands[0]}, std::move(part));
  if (!slice.ok()) return std::nullopt;
  return IfGood(builder.Emit("Reshape", {*slice}, To(op.type.shape)));
}

// A window's sizes in the operand: those of the updates, and 1 where they have
// no dimension.
Dims WindowSizes(const FlatBuilder& builder, const FlatOp& op) {
  const Shape& updates = builder.type(op.operands[2]).shape;
  const auto inserted = op.attributes.List("inserted_window_dims");
  const auto window = op.attributes.List("update_window_dims");
  Dims sizes(builder.type(op.operands[0]).shape.dims.size(), 1);
  std::size_t next = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (std::find(inserted.begin(), inserted.end(),
                  static_cast<std::int64_t>(i)) == inserted.end())
      sizes[i] = updates.dims[static_cast<std::size_t>(window[next++])];
  return sizes;
}

Found Padded(FlatBuilder& builder, const FlatOp& op, const Dims& start,
             const Dims& sizes) {
  const Shape whole = builder.type(op.operands[0]).shape;
  const auto window =
      builder.Emit("Reshape", {op.operands[2]}, To({sizes, whole.batch_axis}));
  if (!window.ok()) return std::nullopt;
  if (sizes == whole.dims) return *window;
  OpAttributes around;
  for (std::size_t i = 0; i < start.size(); ++i) {
    around.lists["edge_padding_low"].push_back(start[i]);
    around.lists["edge_padding_high"].push_back(whole.dims[i] - start[i] -
                                                sizes[i]);
    around.lists["interior_padding"].push_back(0);
  }
  const int zero = builder.Constant({op.type.dtype, Shape{}}, {0});
  return IfGood(builder.Emit("pad", {*window, zero}, std::move(around)));
}

}  // namespace

Found GatherOfOnePlace(FlatBuilder& builder, const FlatOp& op) {
  if (!op.Is("gather")) return std::nullopt;
  auto start =
      StartOf(builder, op, {"operand_batching_dims", "start_index_map"});
  if (!start) return std::nullopt;
  const Shape& whole = builder.type(op.operands[0]).shape;
  const auto list = op.attributes.List("slice_sizes");
  const Dims sizes(list.begin(), list.end());
  for (std::size_t i = 0; i < start->size(); ++i)
    (*start)[i] =
        std::clamp<std::int64_t>((*start)[i], 0, whole.dims[i] - sizes[i]);
  return Sliced(builder, op, *start, sizes);
}

// Into zeros, and not over the edge, where scatter drops what padding would
// not.
Found ScatterToOnePlace(FlatBuilder& builder, const FlatOp& op) {
  if (!op.Is("scatter") || builder.NumberOf(op.operands[0]) != 0)
    return std::nullopt;
  const auto start = StartOf(
      builder, op, {"input_batching_dims", "scatter_dims_to_operand_dims"});
  if (!start) return std::nullopt;
  const Dims sizes = WindowSizes(builder, op);
  const Shape& whole = builder.type(op.operands[0]).shape;
  for (std::size_t i = 0; i < start->size(); ++i)
    if ((*start)[i] < 0 || (*start)[i] + sizes[i] > whole.dims[i])
      return std::nullopt;
  return Padded(builder, op, *start, sizes);
}

}  // namespace podsim
