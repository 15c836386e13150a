#include "host/core/matrix_side.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "host/core/op_kernels.h"

namespace podsim {
namespace {

// Indices over some dimensions as one run: `step` apart from each to the next.
// Dimension 0 counts as if it had many: it may be B, and whether there is a run
// must not depend on how many rows a call gets.
struct SideRun {
  std::int64_t count = 1;
  std::int64_t step = 1;
  bool even = true;
};

SideRun RunOver(DimsView sizes, DimsView dims) {
  const Dims strides = StridesOf(sizes);
  SideRun run;
  for (std::size_t i = dims.size(); i-- > 0;) {
    const auto dim = static_cast<std::size_t>(dims[i]);
    if (sizes[dim] == 1 && dim != 0) continue;
    if (run.count == 1) run.step = strides[dim];
    run.even = run.even && strides[dim] == run.step * run.count;
    run.count *= sizes[dim];
  }
  return run;
}

}  // namespace

MatrixSides::MatrixSides(const float* data, DimsView sizes, DimsView lines,
                         DimsView k, Dims offsets)
    : offsets_(std::move(offsets)) {
  first_.data = data;
  first_.lines = ProductOf(Pick(sizes, lines));
  first_.k = ProductOf(Pick(sizes, k));
  if (first_.lines > 0 && first_.k > 0 && !ReadInPlace(sizes, lines, k))
    Copy(sizes, lines, k);
}

bool MatrixSides::ReadInPlace(DimsView sizes, DimsView lines, DimsView k) {
  const SideRun of_lines = RunOver(sizes, lines);
  const SideRun of_k = RunOver(sizes, k);
  first_.contiguous_k = of_k.step == 1;
  first_.stride = first_.contiguous_k ? of_lines.step : of_k.step;
  return of_lines.even && of_k.even &&
         (first_.contiguous_k || of_lines.step == 1);
}

void MatrixSides::Copy(DimsView sizes, DimsView lines, DimsView k) {
  const Dims of_lines = OffsetsOver(sizes, lines);
  const Dims of_k = OffsetsOver(sizes, k);
  copy_.Reserve(count() * first_.lines * first_.k);
  float* to = copy_.data();
  for (const std::int64_t offset : offsets_)
    for (const std::int64_t line : of_lines)
      for (const std::int64_t i : of_k) *to++ = first_.data[offset + line + i];
  copied_ = true;
  first_.data = copy_.data();
  first_.stride = first_.k;
  first_.contiguous_k = true;
}

void PackSide(const ProductTools& tools, const MatrixSide& right,
              std::int64_t k, std::int64_t depth, float* packed) {
  const auto pack =
      right.contiguous_k ? tools.products.pack_bt : tools.products.pack;
  const float* from = right.data + (right.contiguous_k ? k : k * right.stride);
  ForPanels(tools.parallel, right.lines, tools.panels.columns,
            [&](std::int64_t begin, std::int64_t end) {
              const TimedWork timed(tools.times, Work::kPacking);
              pack(right.lines, depth, from, right.stride, begin, end, packed);
            });
}

std::int64_t PackedElements(const ProductTools& tools, const MatrixSide& left,
                            const MatrixSide& right) {
  return tools.products.packed_elements(
      right.lines,
      left.contiguous_k ? left.k : std::min(left.k, tools.panels.k_block));
}

void MultiplySides(const ProductTools& tools, const MatrixSide& left,
                   const MatrixSide& right, float* packed, float* c) {
  const std::int64_t n = right.lines;
  if (left.k == 0) {
    std::fill_n(c, left.lines * n, 0.0F);
    return;
  }
  const std::int64_t block =
      left.contiguous_k ? left.k : std::min(left.k, tools.panels.k_block);
  for (std::int64_t first = 0; first < left.k; first += block) {
    const std::int64_t depth = std::min(block, left.k - first);
    PackSide(tools, right, first, depth, packed);
    ForPanels(tools.parallel, left.lines, tools.panels.rows,
              [&](std::int64_t begin, std::int64_t end) {
                const TimedWork timed(tools.times, Work::kProducts);
                if (left.contiguous_k)
                  tools.products.multiply(
                      end - begin, n, depth, left.data + begin * left.stride,
                      left.stride, packed, c + begin * n, n);
                else
                  tools.products.multiply_at(
                      end - begin, n, depth,
                      left.data + first * left.stride + begin, left.stride,
                      packed, c + begin * n, n, first > 0 ? 1 : 0);
              });
  }
}

float* ThreadFloats(std::size_t slot, std::int64_t count) {
  thread_local std::array<AlignedFloats, kThreadSlots> slots;
  slots[slot].Reserve(count);
  return slots[slot].data();
}

}  // namespace podsim
