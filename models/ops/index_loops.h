// Indices into row-major arrays, as references, shape rules and kernels walk
// through them.
#ifndef PODSIM_MODELS_OPS_INDEX_LOOPS_H_
#define PODSIM_MODELS_OPS_INDEX_LOOPS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace podsim {

// A size, a stride or an index per dimension, or numbers of dimensions.
using Dims = std::vector<std::int64_t>;
using DimsView = std::span<const std::int64_t>;

inline std::int64_t ProductOf(DimsView sizes) {
  std::int64_t product = 1;
  for (const std::int64_t size : sizes) product *= size;
  return product;
}

// How far apart neighbours along each dimension lie.
inline Dims StridesOf(DimsView sizes) {
  Dims strides(sizes.size());
  std::int64_t stride = 1;
  for (std::size_t i = sizes.size(); i-- > 0; stride *= sizes[i])
    strides[i] = stride;
  return strides;
}

inline Dims Pick(DimsView from, DimsView dims) {
  Dims picked;
  for (const std::int64_t dim : dims)
    picked.push_back(from[static_cast<std::size_t>(dim)]);
  return picked;
}

inline bool Contains(DimsView dims, std::int64_t dim) {
  for (const std::int64_t each : dims)
    if (each == dim) return true;
  return false;
}

// Dimensions of [0, rank) that `dims` leaves out.
inline Dims OthersOf(std::int64_t rank, DimsView dims) {
  Dims others;
  for (std::int64_t dim = 0; dim < rank; ++dim)
    if (!Contains(dims, dim)) others.push_back(dim);
  return others;
}

// The next index in row-major order; false after the last, which becomes the
// first again.
inline bool NextIndex(DimsView sizes, Dims& index) {
  for (std::size_t i = sizes.size(); i-- > 0;) {
    if (++index[i] < sizes[i]) return true;
    index[i] = 0;
  }
  return false;
}

// fn(index) for each in row-major order.
template <typename Fn>
void ForIndices(DimsView sizes, const Fn& fn) {
  if (ProductOf(sizes) == 0) return;
  Dims index(sizes.size());
  do fn(index);
  while (NextIndex(sizes, index));
}

inline std::int64_t OffsetOf(DimsView index, DimsView strides) {
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < index.size(); ++i)
    offset += index[i] * strides[i];
  return offset;
}

// Where the elements lie that have each index over `dims` and 0 elsewhere, in
// row-major order of `dims` as they are listed.
inline Dims OffsetsOver(DimsView sizes, DimsView dims) {
  const Dims strides = Pick(StridesOf(sizes), dims);
  Dims offsets;
  ForIndices(Pick(sizes, dims), [&](const Dims& index) {
    offsets.push_back(OffsetOf(index, strides));
  });
  return offsets;
}

}  // namespace podsim

#endif  // PODSIM_MODELS_OPS_INDEX_LOOPS_H_
