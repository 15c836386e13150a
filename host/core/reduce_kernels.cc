// reduce, its gradient for products, and arg_max on arrays.
//
// What is folded lies side by side (a row), or apart with other results' beside
// it, so that whole rows are folded into one another. Where each number goes
// follows from shapes and K-blocks alone.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "host/core/array_kernels.h"
#include "host/core/boxes.h"
#include "host/core/folds.h"
#include "host/core/op_kernels.h"
#include "host/core/typed_loops.h"
#include "models/ops/index_loops.h"

namespace podsim {
namespace {

constexpr std::int64_t kLanes = 16;
constexpr std::int64_t kReduceTask = 1 << 15;  // elements that are worth a task
constexpr std::int64_t kColumns = 1 << 11;
// What is added up side by side begins anew after so many numbers, and the
// stretches are added up then: roundoff grows with the sums of both roots, not
// with the root of a K-block.
constexpr std::int64_t kStretch = 32;

// An array's dimensions by what becomes of them: `inner` elements side by side,
// at the end of all, are all folded or all kept.
struct Folding {
  Dims kept;    // offsets of the results' first elements, without inner
  Dims folded;  // offsets of what is folded into one, without inner
  std::int64_t inner = 1;
  bool folds_inner = false;
};

Folding FoldingOf(DimsView sizes, DimsView dims) {
  Folding folding;
  auto outer = static_cast<std::int64_t>(sizes.size());
  bool known = false;
  for (; outer > 0; --outer) {
    const std::int64_t size = sizes[static_cast<std::size_t>(outer - 1)];
    const bool folds = Contains(dims, outer - 1);
    if (known && size != 1 && folds != folding.folds_inner) break;
    if (!known && size != 1) folding.folds_inner = folds;
    known = known || size != 1;
    folding.inner *= size;
  }
  Dims kept;
  Dims folded;
  for (std::int64_t dim = 0; dim < outer; ++dim)
    (Contains(dims, dim) ? folded : kept).push_back(dim);
  folding.kept = OffsetsOver(sizes, kept);
  folding.folded = OffsetsOver(sizes, folded);
  return folding;
}

// A row into another, number by number.
template <typename T, typename Fold>
void FoldInto(const T* x, std::int64_t count, T* into) {
  for (std::int64_t i = 0; i < count; ++i)
    into[i] = Fold::template Of<T>(into[i], x[i]);
}

// In lanes, by stretches; the lanes are folded in halves at the end.
template <typename T, typename Fold>
T FoldRow(const T* x, std::int64_t count) {
  T total[kLanes];
  std::fill_n(total, kLanes, Fold::template kNeutral<T>);
  for (std::int64_t i = 0; i < count;) {
    const std::int64_t end = std::min(count, i + kStretch * kLanes);
    T lanes[kLanes];
    std::fill_n(lanes, kLanes, Fold::template kNeutral<T>);
    for (; i + kLanes <= end; i += kLanes)
      for (std::int64_t lane = 0; lane < kLanes; ++lane)
        lanes[lane] = Fold::template Of<T>(lanes[lane], x[i + lane]);
    for (std::int64_t lane = 0; i < end; ++lane, ++i)
      lanes[lane] = Fold::template Of<T>(lanes[lane], x[i]);
    FoldInto<T, Fold>(lanes, kLanes, total);
  }
  for (std::int64_t half = kLanes / 2; half > 0; half /= 2)
    FoldInto<T, Fold>(total + half, half, total);
  return total[0];
}

// `count` numbers, get(0) first, by stretches.
template <typename T, typename Fold, typename Get>
T FoldStretches(std::int64_t count, const Get& get) {
  T result = Fold::template kNeutral<T>;
  for (std::int64_t first = 0; first < count; first += kStretch) {
    T stretch = Fold::template kNeutral<T>;
    for (std::int64_t i = first; i < std::min(count, first + kStretch); ++i)
      stretch = Fold::template Of<T>(stretch, get(i));
    result = Fold::template Of<T>(result, stretch);
  }
  return result;
}

// `columns` of the rows that begin at x + rows[i], by stretches.
template <typename T, typename Fold>
void FoldStretches(const T* x, DimsView rows, std::int64_t columns, T* into) {
  T stretch[kColumns];
  std::fill_n(into, columns, Fold::template kNeutral<T>);
  while (!rows.empty()) {
    const DimsView now = rows.first(
        std::min<std::size_t>(rows.size(), static_cast<std::size_t>(kStretch)));
    rows = rows.subspan(now.size());
    std::fill_n(stretch, columns, Fold::template kNeutral<T>);
    for (const std::int64_t row : now)
      FoldInto<T, Fold>(x + row, columns, stretch);
    FoldInto<T, Fold>(stretch, columns, into);
  }
}

template <typename T, typename Fold>
void FoldRows(const ArrayCall& call, const Folding& folding, const T* x) {
  T* out = call.out[0].as<T>();
  const auto count = static_cast<std::int64_t>(folding.kept.size());
  const auto parts = static_cast<std::int64_t>(folding.folded.size());
  const std::int64_t panel =
      std::max<std::int64_t>(kReduceTask / (1 + parts * folding.inner), 1);
  ForPanels(call.parallel, count, panel,
            [&](std::int64_t begin, std::int64_t end) {
              for (std::int64_t i = begin; i < end; ++i) {
                const T* from = x + folding.kept[static_cast<std::size_t>(i)];
                out[i] = FoldStretches<T, Fold>(parts, [&](std::int64_t part) {
                  return FoldRow<T, Fold>(
                      from + folding.folded[static_cast<std::size_t>(part)],
                      folding.inner);
                });
              }
            });
}

// A K-block of rows is folded at a time, and the blocks' results in order.
template <typename T, typename Fold>
void FoldColumns(const ArrayCall& call, const Folding& folding, const T* x) {
  T* out = call.out[0].as<T>();
  const std::int64_t n = folding.inner;
  const auto count = static_cast<std::int64_t>(folding.kept.size());
  const auto rows = static_cast<std::int64_t>(folding.folded.size());
  const std::int64_t block = call.panels.k_block;
  const std::int64_t blocks =
      std::max<std::int64_t>((rows + block - 1) / block, 1);
  const auto partial = std::make_unique_for_overwrite<T[]>(
      static_cast<std::size_t>(blocks > 1 ? count * blocks * n : 0));
  T* results = blocks > 1 ? partial.get() : out;
  const std::int64_t cuts = (n + kColumns - 1) / kColumns;
  const std::int64_t work = std::min(rows, block) * std::min(n, kColumns) + 1;
  ForPanels(
      call.parallel, count * blocks * cuts,
      std::max<std::int64_t>(kReduceTask / work, 1),
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t task = begin; task < end; ++task) {
          const std::int64_t column = task % cuts * kColumns;
          const std::int64_t columns = std::min(kColumns, n - column);
          const std::int64_t first = task / cuts % blocks * block;
          T* into = results + task / cuts * n + column;
          const T* from =
              x + folding.kept[static_cast<std::size_t>(task / cuts / blocks)] +
              column;
          const std::int64_t here = std::min(rows - first, block);
          FoldStretches<T, Fold>(from,
                                 DimsView(folding.folded)
                                     .subspan(static_cast<std::size_t>(first),
                                              static_cast<std::size_t>(here)),
                                 columns, into);
        }
      });
  if (blocks == 1) return;
  ForPanels(call.parallel, count,
            std::max<std::int64_t>(kReduceTask / (blocks * n + 1), 1),
            [&](std::int64_t begin, std::int64_t end) {
              for (std::int64_t i = begin; i < end; ++i) {
                const T* of_blocks = results + i * blocks * n;
                std::copy_n(of_blocks, n, out + i * n);
                for (std::int64_t b = 1; b < blocks; ++b)
                  FoldInto<T, Fold>(of_blocks + b * n, n, out + i * n);
              }
            });
}

// Elements along a dimension, for each index of the others.
struct Lines {
  Dims first;  // offsets
  std::int64_t length = 0;
  std::int64_t stride = 0;
};

template <typename T>
void ArgMaxOf(const ArrayCall& call, const Array& in) {
  const Dims& sizes = in.dims;
  const DimsView dims = call.attributes.List("dimensions");
  const auto dim = static_cast<std::size_t>(dims[0]);
  const Lines lines{
      OffsetsOver(sizes,
                  OthersOf(static_cast<std::int64_t>(sizes.size()), dims)),
      sizes[dim], StridesOf(sizes)[dim]};
  const T* x = in.as<const T>();
  auto* out = call.out[0].as<std::int32_t>();
  ForPanels(call.parallel, static_cast<std::int64_t>(lines.first.size()),
            std::max<std::int64_t>(kReduceTask / (1 + lines.length), 1),
            [&](std::int64_t begin, std::int64_t end) {
              for (std::int64_t i = begin; i < end; ++i) {
                const T* line = x + lines.first[static_cast<std::size_t>(i)];
                std::int64_t best = 0;
                for (std::int64_t j = 1; j < lines.length; ++j) {
                  const T at = line[j * lines.stride];
                  const T known = line[best * lines.stride];
                  if (at > known || (at != at && known == known)) best = j;
                }
                out[i] = static_cast<std::int32_t>(best);
              }
            });
}

}  // namespace

void Reduce(const ArrayCall& call) {
  const WideOperand in(call.in[0]);
  const Folding folding =
      FoldingOf(in->dims, call.attributes.List("dimensions"));
  WithFold(call.attributes.word, in->dtype, [&]<typename T, typename Fold>() {
    const T* x = in->as<const T>();
    if (folding.folds_inner) return FoldRows<T, Fold>(call, folding, x);
    FoldColumns<T, Fold>(call, folding, x);
  });
}

void ArgMax(const ArrayCall& call) {
  const WideOperand in(call.in[0]);
  WithType(in->dtype, [&]<typename T>(T /*of*/) { ArgMaxOf<T>(call, *in); });
}

// The product of those before, then of those behind.
void ReduceMultiplyGrad(const ArrayCall& call) {
  const Dims& sizes = call.in[0].dims;
  const DimsView dims = call.attributes.List("dimensions");
  const Dims kept = OffsetsOver(
      sizes, OthersOf(static_cast<std::int64_t>(sizes.size()), dims));
  const Dims folded = OffsetsOver(sizes, dims);
  const auto* x = call.in[0].as<const float>();
  const auto* dy = call.in[1].as<const float>();
  auto* out = call.out[0].as<float>();
  const auto task = static_cast<std::int64_t>(1 + folded.size());
  ForPanels(call.parallel, static_cast<std::int64_t>(kept.size()),
            std::max<std::int64_t>(kReduceTask / task, 1),
            [&](std::int64_t begin, std::int64_t end) {
              for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t first = kept[static_cast<std::size_t>(i)];
                float before = dy[i];
                for (const std::int64_t at : folded) {
                  out[first + at] = before;
                  before *= x[first + at];
                }
                float behind = 1;
                for (std::size_t j = folded.size(); j-- > 0;) {
                  out[first + folded[j]] *= behind;
                  behind *= x[first + folded[j]];
                }
              }
            });
}

}  // namespace podsim
