#include "models/import/counts.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace podsim {
namespace {

// Dimensions that are not 1.
std::vector<int> LongDims(const Shape& shape) {
  std::vector<int> dims;
  for (int i = 0; i < shape.rank(); ++i)
    if (shape.dims[static_cast<std::size_t>(i)] != 1) dims.push_back(i);
  return dims;
}

// Where `dim` of `from` is in a reshaped `to`; -1: it is not there alone.
int DimAfterReshape(const Shape& from, int dim, const Shape& to) {
  const std::vector<int> old_dims = LongDims(from);
  const std::vector<int> new_dims = LongDims(to);
  if (old_dims.size() != new_dims.size()) return -1;
  for (std::size_t i = 0; i < old_dims.size(); ++i)
    if (from.dims[static_cast<std::size_t>(old_dims[i])] !=
        to.dims[static_cast<std::size_t>(new_dims[i])])
      return -1;
  const auto found = std::find(old_dims.begin(), old_dims.end(), dim);
  if (found == old_dims.end()) return -1;
  return new_dims[static_cast<std::size_t>(found - old_dims.begin())];
}

int DimAfterBroadcast(const FlatOp& op, const Shape& from, int dim) {
  if (dim < 0) return -1;
  const auto place = static_cast<std::size_t>(dim);
  const auto to =
      static_cast<int>(op.attributes.List("broadcast_dimensions")[place]);
  const bool stays =
      op.type.shape.dims[static_cast<std::size_t>(to)] == from.dims[place];
  return stays ? to : -1;
}

// What jnp makes of an index: select(i < 0, i + size, i).
bool TurnsNegativesRound(const FlatBuilder& builder, const FlatOp& op) {
  const FlatOp& where = builder.op(op.operands[0]);
  return where.Is("compare") && where.attributes.word == "LT" &&
         where.operands[0] == op.operands[2] &&
         builder.NumberOf(where.operands[1]) == 0;
}

}  // namespace

int CountedDim(const FlatBuilder& builder, int place) {
  const FlatOp& op = builder.op(place);
  if (op.type.dtype != DType::kInt32 && op.type.dtype != DType::kUint32)
    return -1;  // it may begin again
  if (op.Is("iota"))
    return static_cast<int>(op.attributes.Int("iota_dimension", -1));
  if (op.Is("select") && TurnsNegativesRound(builder, op))
    return CountedDim(builder, op.operands[2]);
  if (op.Is("convert")) return CountedDim(builder, op.operands[0]);
  if (!op.Is("Reshape") && !op.Is("broadcast_in_dim")) return -1;
  const Shape& from = builder.type(op.operands[0]).shape;
  const int dim = CountedDim(builder, op.operands[0]);
  return op.Is("Reshape") ? DimAfterReshape(from, dim, op.type.shape)
                          : DimAfterBroadcast(op, from, dim);
}

}  // namespace podsim
