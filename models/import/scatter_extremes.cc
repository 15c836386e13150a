// scatter by maximum and minimum to places that may be the same, as
// jax.ops.segment_max and segment_min have it: each row of the operand folds
// the updates whose index is its own.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "models/import/opcode_attributes.h"
#include "models/ops/fold.h"

namespace podsim {
namespace {

// Each update is compared with so many rows.
constexpr std::int64_t kMostSegments = 1024;

using Numbers = std::vector<std::int64_t>;

template <typename List>
bool IsAmong(const List& list, std::int64_t number) {
  return std::find(list.begin(), list.end(), number) != list.end();
}

bool IsDimOf(const Shape& shape, std::int64_t dim) {
  return dim >= 0 && dim < shape.rank();
}

// Operand, indices and updates in the dimensions of all of them: the operand's
// first, then those of the indices that are no batching dimensions.
struct SegmentDims {
  std::int64_t segment = 0;  // of the operand: what the indices are of
  Shape all;
  Numbers indices;  // where each dimension of the indices is, without vectors
  Numbers updates;
  Numbers folded;
};

bool IsOneIndexOfWholeRows(const FlatBuilder& builder, const HloUse& use) {
  const auto& dims = use.from.scatter_dimension_numbers();
  const Shape& operand = builder.type(use.operands[0]).shape;
  const Shape& updates = builder.type(use.operands[2]).shape;
  if (dims.scatter_dims_to_operand_dims_size() != 1 ||
      dims.inserted_window_dims_size() != 1 ||
      dims.inserted_window_dims(0) != dims.scatter_dims_to_operand_dims(0) ||
      !IsDimOf(operand, dims.inserted_window_dims(0)))
    return false;
  for (const std::int64_t dim : dims.input_batching_dims())
    if (!IsDimOf(operand, dim)) return false;
  int next = 0;
  for (int dim = 0; dim < operand.rank(); ++dim) {
    if (dim == dims.inserted_window_dims(0) ||
        IsAmong(dims.input_batching_dims(), dim))
      continue;
    if (next == dims.update_window_dims_size()) return false;
    const std::int64_t window = dims.update_window_dims(next++);
    if (window < 0 || window >= updates.rank() ||
        updates.dims[static_cast<std::size_t>(window)] !=
            operand.dims[static_cast<std::size_t>(dim)])
      return false;
  }
  return next == dims.update_window_dims_size();
}

// Where the dimensions of the indices are in `all`, to which it adds some.
void PlaceIndices(const hlo::ScatterDimensions& dims, const Shape& indices,
                  SegmentDims& to) {
  for (int dim = 0; dim < indices.rank(); ++dim) {
    if (dim == dims.index_vector_dim()) continue;
    const auto& batch = dims.scatter_indices_batching_dims();
    const auto found = std::find(batch.begin(), batch.end(), dim);
    const auto which = static_cast<int>(found - batch.begin());
    if (found != batch.end() && which < dims.input_batching_dims_size()) {
      to.indices.push_back(dims.input_batching_dims(which));
      continue;
    }
    to.indices.push_back(to.all.rank());
    to.folded.push_back(to.all.rank());
    to.all.dims.push_back(indices.dims[static_cast<std::size_t>(dim)]);
  }
}

void PlaceUpdates(const hlo::ScatterDimensions& dims, int operand_rank,
                  int updates_rank, SegmentDims& to) {
  Numbers kept;
  for (int dim = 0; dim < operand_rank; ++dim)
    if (dim != to.segment && !IsAmong(dims.input_batching_dims(), dim))
      kept.push_back(dim);
  std::size_t next_kept = 0;
  std::size_t next_index = 0;
  for (int dim = 0; dim < updates_rank; ++dim) {
    if (IsAmong(dims.update_window_dims(), dim))
      to.updates.push_back(kept[next_kept++]);
    else if (next_index < to.indices.size())
      to.updates.push_back(to.indices[next_index++]);
  }
}

absl::StatusOr<int> Repeated(FlatBuilder& builder, int place,
                             const Shape& shape, Numbers dims) {
  OpAttributes attributes;
  attributes.shape = shape;
  attributes.lists["broadcast_dimensions"] = std::move(dims);
  return builder.Emit("broadcast_in_dim", {place}, std::move(attributes));
}

// Whether an update is of a row.
absl::StatusOr<int> IsOfSegment(FlatBuilder& builder, const HloUse& use,
                                const SegmentDims& dims) {
  const ValueType indices = builder.type(use.operands[1]);
  OpAttributes flat;
  for (const std::int64_t dim : dims.indices)
    flat.shape.dims.push_back(dims.all.dims[static_cast<std::size_t>(dim)]);
  PODSIM_ASSIGN_OR_RETURN(
      int index, builder.Emit("Reshape", {use.operands[1]}, std::move(flat)));
  PODSIM_ASSIGN_OR_RETURN(index,
                          Repeated(builder, index, dims.all, dims.indices));
  OpAttributes counts;
  counts.shape.dims = {dims.all.dims[static_cast<std::size_t>(dims.segment)]};
  counts.dtype = indices.dtype;
  counts.lists["iota_dimension"] = {0};
  PODSIM_ASSIGN_OR_RETURN(int number,
                          builder.Emit("iota", {}, std::move(counts)));
  PODSIM_ASSIGN_OR_RETURN(number,
                          Repeated(builder, number, dims.all, {dims.segment}));
  return builder.Emit("compare", {index, number}, {.word = "EQ"});
}

}  // namespace

absl::StatusOr<int> EmitExtremes(FlatBuilder& builder, const HloUse& use) {
  const auto& from = use.from.scatter_dimension_numbers();
  const Shape operand = builder.type(use.operands[0]).shape;
  if (!IsOneIndexOfWholeRows(builder, use))
    return absl::UnimplementedError(absl::StrCat(
        "it takes the ", use.word(),
        " at places of several dimensions, of "
        "which some may be the same; index one dimension of whole rows, as "
        "jax.ops.segment_max does, or pass unique_indices=True to .at[...]"));
  SegmentDims dims;
  dims.segment = from.scatter_dims_to_operand_dims(0);
  dims.all = operand;
  if (operand.dims[static_cast<std::size_t>(dims.segment)] > kMostSegments)
    return absl::UnimplementedError(absl::StrCat(
        "it has ", operand.dims[static_cast<std::size_t>(dims.segment)],
        " segments, more than ", kMostSegments, "; take fewer at a time"));
  PlaceIndices(from, builder.type(use.operands[1]).shape, dims);
  PlaceUpdates(from, operand.rank(), builder.type(use.operands[2]).shape.rank(),
               dims);
  PODSIM_ASSIGN_OR_RETURN(const int is_own, IsOfSegment(builder, use, dims));
  PODSIM_ASSIGN_OR_RETURN(const int updates, Repeated(builder, use.operands[2],
                                                      dims.all, dims.updates));
  const DType dtype = use.type.dtype;
  const int neutral =
      builder.Constant({dtype, dims.all}, {NeutralOf(use.word(), dtype)});
  PODSIM_ASSIGN_OR_RETURN(const int own,
                          builder.Emit("select", {is_own, updates, neutral}));
  OpAttributes fold;
  fold.word = use.word();
  fold.lists["dimensions"] = dims.folded;
  PODSIM_ASSIGN_OR_RETURN(const int extreme,
                          builder.Emit("reduce", {own}, std::move(fold)));
  return builder.Emit(use.word(), {use.operands[0], extreme});
}

}  // namespace podsim
