#include "chip/tiles.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>

#include "absl/container/inlined_vector.h"
#include "models/ops/shape.h"

namespace podsim {
namespace {

constexpr std::int64_t kLanes = 128;
constexpr std::int64_t kSublanes = 8;
constexpr std::int64_t kWordBytes = 4;
constexpr std::int64_t kVectorTile = 1024;        // elements
constexpr std::int64_t kLeastVectorBytes = 1024;  // of a tile
constexpr double kFloat32Passes = 6;
constexpr std::size_t kUsualRank = 6;

std::int64_t InTiles(std::int64_t size, std::int64_t tile) {
  return (size + tile - 1) / tile * tile;
}

std::int64_t PowerOfTwo(std::int64_t at_least) {
  return static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(at_least)));
}

std::int64_t VectorElements(std::int64_t elements, std::int64_t size) {
  const std::int64_t tile =
      std::clamp(PowerOfTwo(elements), kLeastVectorBytes / size, kVectorTile);
  return InTiles(elements, tile);
}

// `dim` in sublanes, of elements of `size` bytes.
std::int64_t InSublanes(std::int64_t dim, std::int64_t size) {
  const std::int64_t packed = kWordBytes / size;
  const std::int64_t tile =
      std::clamp(PowerOfTwo(dim), 2 * packed, kSublanes * packed);
  return InTiles(dim, tile);
}

// With dimension `lanes` in the lanes and dimension `sublanes` in the sublanes.
double TiledElements(std::span<const std::int64_t> dims, std::int64_t size,
                     std::size_t lanes, std::size_t sublanes) {
  double elements = 1;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::int64_t dim = i == lanes      ? InTiles(dims[i], kLanes)
                             : i == sublanes ? InSublanes(dims[i], size)
                                             : dims[i];
    elements *= static_cast<double>(dim);
  }
  return elements;
}

// Of at least two dimensions, in the layout that takes least.
double LeastTiledElements(std::span<const std::int64_t> dims,
                          std::int64_t size) {
  double least = TiledElements(dims, size, 0, 1);
  for (std::size_t lanes = 0; lanes < dims.size(); ++lanes)
    for (std::size_t sublanes = 0; sublanes < dims.size(); ++sublanes)
      if (lanes != sublanes)
        least = std::min(least, TiledElements(dims, size, lanes, sublanes));
  return least;
}

}  // namespace

double BytesInHbm(const ValueType& type, std::int64_t rows) {
  // Asked of every value of a program, many times: nothing is allocated.
  absl::InlinedVector<std::int64_t, kUsualRank> dims;
  for (int axis = 0; axis < type.shape.rank(); ++axis) {
    const std::int64_t dim = type.shape.dims[static_cast<std::size_t>(axis)] *
                             (axis == type.shape.batch_axis ? rows : 1);
    if (dim == 0) return 0;
    if (dim != 1) dims.push_back(dim);
  }
  const std::int64_t size = SizeOf(type.dtype);
  if (dims.size() >= 2)
    return LeastTiledElements(dims, size) * static_cast<double>(size);
  const std::int64_t elements = dims.empty() ? 1 : dims[0];
  return static_cast<double>(VectorElements(elements, size) * size);
}

double MatrixUnitFlops(const MatrixProduct& product, double multiply_adds,
                       std::int64_t side) {
  if (product.m <= 0 || product.n <= 0 || product.k <= 0) return 0;
  const auto times = [](std::int64_t padded, std::int64_t size) {
    return static_cast<double>(padded) / static_cast<double>(size);
  };
  double flops = 2 * multiply_adds;
  if (side > 1)
    flops *= times(InTiles(product.m, kSublanes), product.m) *
             times(InTiles(product.n, side), product.n) *
             times(std::max(product.k, side), product.k);
  return product.rounded_operands ? flops : kFloat32Passes * flops;
}

}  // namespace podsim
