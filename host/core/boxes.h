// Copies between boxes of arrays: what most ops that move data come down to.
#ifndef PODSIM_HOST_CORE_BOXES_H_
#define PODSIM_HOST_CORE_BOXES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/core/array.h"
#include "models/ops/index_loops.h"

namespace podsim {

// Elements and how far apart neighbours along each dimension lie on both sides,
// in elements: 0 repeats, less goes backwards.
struct Box {
  Dims sizes;
  Dims from;
  Dims to;
};

// The same elements in as few dimensions as possible.
Box Simplified(const Box& box);

// REQUIRES: a simplified box. `bytes`: of an element, 1 or 4. Where the boxes
// begin.
void CopyBox(const Box& box, std::int64_t bytes, const std::byte* from,
             std::byte* to);
// The same by several threads.
void CopyBox(const Box& box, std::int64_t bytes, const std::byte* from,
             std::byte* to, ParallelFor& parallel);

// An operand with elements of their width in memory for results: two bytes of
// bfloat16, as the infeed brings them, become a float32.
class WideOperand {
 public:
  explicit WideOperand(const Array& array);
  WideOperand(const WideOperand&) = delete;
  WideOperand& operator=(const WideOperand&) = delete;
  const Array* operator->() const { return &array_; }
  const Array& operator*() const { return array_; }

 private:
  Array array_;
  std::vector<std::uint32_t> widened_;
};

// Element `place` of an array of indices.
std::int64_t IndexAt(const Array& array, std::int64_t place);

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_BOXES_H_
