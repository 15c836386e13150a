// Operands of matrix products as they lie in arrays of any number of
// dimensions: in place where a product can read them so, else as a copy.
#ifndef PODSIM_HOST_CORE_MATRIX_SIDE_H_
#define PODSIM_HOST_CORE_MATRIX_SIDE_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "host/core/aligned_floats.h"
#include "host/core/array.h"
#include "host/core/op_times.h"
#include "host/core/parallel_for.h"
#include "models/kernels/kernels.h"
#include "models/ops/index_loops.h"

namespace podsim {

// Lines (the left side's rows or the right side's columns) by K. Element
// (line, i) is data[line * stride + i] if K is contiguous, else
// data[i * stride + line].
struct MatrixSide {
  const float* data = nullptr;
  std::int64_t lines = 0;
  std::int64_t k = 0;
  std::int64_t stride = 0;
  bool contiguous_k = true;

  MatrixSide Lines(std::int64_t first, std::int64_t count) const {
    MatrixSide some = Moved(contiguous_k ? first * stride : first);
    some.lines = count;
    return some;
  }
  MatrixSide Moved(std::int64_t elements) const {
    MatrixSide moved = *this;
    moved.data += elements;
    return moved;
  }
};

// The side whose lines and whose K run over these dimensions of an array, as
// they are listed; `copy` holds it where it cannot be read in place, and is
// filled for each of `offsets` (elements from data), one behind the other.
class MatrixSides {
 public:
  MatrixSides(const float* data, DimsView sizes, DimsView lines, DimsView k,
              Dims offsets);

  MatrixSide At(std::int64_t i) const {
    const auto place = static_cast<std::size_t>(i);
    return first_.Moved(copied_ ? i * first_.lines * first_.k
                                : offsets_[place]);
  }
  std::int64_t count() const {
    return static_cast<std::int64_t>(offsets_.size());
  }

 private:
  bool ReadInPlace(DimsView sizes, DimsView lines, DimsView k);
  void Copy(DimsView sizes, DimsView lines, DimsView k);

  MatrixSide first_;
  Dims offsets_;
  bool copied_ = false;
  AlignedFloats copy_;
};

inline const PodsimProducts& ProductsFor(const ArrayCall& call) {
  return call.attributes.rounded_operands ? call.kernels.bfloat16
                                          : call.kernels.float32;
}

// What products take besides their operands.
struct ProductTools {
  const PodsimProducts& products;
  const Panels& panels;
  ParallelFor& parallel;
  OpTimes* times;
};

// Packs K [k, k + depth) of a right side.
void PackSide(const ProductTools& tools, const MatrixSide& right,
              std::int64_t k, std::int64_t depth, float* packed);

// Elements that MultiplySides packs at a time.
std::int64_t PackedElements(const ProductTools& tools, const MatrixSide& left,
                            const MatrixSide& right);

// c[left.lines, right.lines] = left * right^T, as mathematics sees two sides of
// lines. A left side whose K is contiguous is summed in one go, another one a
// K-block at a time, in order.
void MultiplySides(const ProductTools& tools, const MatrixSide& left,
                   const MatrixSide& right, float* packed, float* c);

// Memory of this thread that lasts until it asks again for the same slot.
// REQUIRES: slot < kThreadSlots.
constexpr std::size_t kThreadSlots = 5;
float* ThreadFloats(std::size_t slot, std::int64_t count);

// Runs all by itself.
class InOrder final : public ParallelFor {
 public:
  void Run(std::int64_t count,
           const std::function<void(std::int64_t)>& fn) override {
    for (std::int64_t i = 0; i < count; ++i) fn(i);
  }
};

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_MATRIX_SIDE_H_
