#include "host/core/boxes.h"

#include <algorithm>
#include <cstring>

namespace podsim {
namespace {

constexpr std::int64_t kTile = 16;       // elements: a cache line of float32
constexpr std::int64_t kTask = 1 << 16;  // elements that are worth a task

template <typename T>
void CopyLine(std::int64_t count, const T* from, std::int64_t from_stride,
              T* to, std::int64_t to_stride) {
  if (from_stride == 1 && to_stride == 1) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
  } else if (from_stride == 0 && to_stride == 1) {
    std::fill_n(to, count, *from);
  } else {
    for (std::int64_t i = 0; i < count; ++i)
      to[i * to_stride] = from[i * from_stride];
  }
}

// The last two dimensions in tiles, so that lines of the cache are read and
// written as a whole where the box is transposed.
template <typename T>
void CopyPlane(const Box& box, std::size_t axis, const T* from, T* to) {
  const std::int64_t rows = box.sizes[axis];
  const std::int64_t columns = box.sizes[axis + 1];
  for (std::int64_t row = 0; row < rows; row += kTile)
    for (std::int64_t column = 0; column < columns; column += kTile)
      for (std::int64_t r = row; r < std::min(rows, row + kTile); ++r)
        CopyLine(std::min(kTile, columns - column),
                 from + r * box.from[axis] + column * box.from[axis + 1],
                 box.from[axis + 1],
                 to + r * box.to[axis] + column * box.to[axis + 1],
                 box.to[axis + 1]);
}

template <typename T>
void CopyFrom(const Box& box, std::size_t axis, const T* from, T* to) {
  const std::size_t rank = box.sizes.size();
  if (axis == rank) {
    *to = *from;
  } else if (axis + 1 == rank) {
    CopyLine(box.sizes[axis], from, box.from[axis], to, box.to[axis]);
  } else if (axis + 2 == rank && box.from[axis] == 1 &&
             box.from[axis + 1] != 0) {
    CopyPlane(box, axis, from, to);
  } else {
    for (std::int64_t i = 0; i < box.sizes[axis]; ++i)
      CopyFrom(box, axis + 1, from + i * box.from[axis], to + i * box.to[axis]);
  }
}

template <typename T>
void Copy(const Box& box, const std::byte* from, std::byte* to) {
  CopyFrom(box, 0, reinterpret_cast<const T*>(from), reinterpret_cast<T*>(to));
}

void Swap(Box& box, std::size_t a, std::size_t b) {
  std::swap(box.sizes[a], box.sizes[b]);
  std::swap(box.from[a], box.from[b]);
  std::swap(box.to[a], box.to[b]);
}

}  // namespace

Box Simplified(const Box& box) {
  Box result;
  for (std::size_t i = 0; i < box.sizes.size(); ++i) {
    const std::int64_t size = box.sizes[i];
    if (size == 1) continue;
    if (!result.sizes.empty() && result.from.back() == size * box.from[i] &&
        result.to.back() == size * box.to[i]) {
      result.sizes.back() *= size;
      result.from.back() = box.from[i];
      result.to.back() = box.to[i];
    } else {
      result.sizes.push_back(size);
      result.from.push_back(box.from[i]);
      result.to.push_back(box.to[i]);
    }
  }
  // What lies side by side in the source becomes the rows of a plane.
  const std::size_t rank = result.sizes.size();
  for (std::size_t i = 0; i + 2 < rank && result.from[rank - 1] != 1; ++i)
    if (result.from[i] == 1) Swap(result, i, rank - 2);
  return result;
}

void CopyBox(const Box& box, std::int64_t bytes, const std::byte* from,
             std::byte* to) {
  if (ProductOf(box.sizes) == 0) return;
  if (bytes == 1) {
    Copy<std::uint8_t>(box, from, to);
  } else {
    Copy<std::uint32_t>(box, from, to);
  }
}

void CopyBox(const Box& box, std::int64_t bytes, const std::byte* from,
             std::byte* to, ParallelFor& parallel) {
  const std::int64_t elements = ProductOf(box.sizes);
  if (elements <= kTask) return CopyBox(box, bytes, from, to);
  const std::int64_t outer = box.sizes[0];
  const std::int64_t step =
      std::max<std::int64_t>(1, kTask / (elements / outer));
  parallel.Run((outer + step - 1) / step, [&](std::int64_t task) {
    Box part = box;
    const std::int64_t begin = task * step;
    part.sizes[0] = std::min(step, outer - begin);
    CopyBox(part, bytes, from + begin * box.from[0] * bytes,
            to + begin * box.to[0] * bytes);
  });
}

WideOperand::WideOperand(const Array& array) : array_(array) {
  if (array.dtype != DType::kBFloat16 || array.element_bytes != 2) return;
  const auto* from = array.as<const std::uint16_t>();
  const std::int64_t count = array.elements();
  widened_.resize(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i)
    widened_[static_cast<std::size_t>(i)] = std::uint32_t{from[i]} << 16;
  array_.data = reinterpret_cast<std::byte*>(widened_.data());
  array_.element_bytes = 4;
}

std::int64_t IndexAt(const Array& array, std::int64_t place) {
  if (array.dtype == DType::kInt32) return array.as<std::int32_t>()[place];
  if (array.dtype == DType::kUint32) return array.as<std::uint32_t>()[place];
  return array.as<std::uint8_t>()[place];
}

}  // namespace podsim
