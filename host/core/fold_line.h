// A line of neighbouring numbers folded into one: the one order of it.
#ifndef PODSIM_HOST_CORE_FOLD_LINE_H_
#define PODSIM_HOST_CORE_FOLD_LINE_H_

#include <algorithm>
#include <cstdint>

namespace podsim {

inline constexpr std::int64_t kFoldLanes = 16;
// What is added up side by side begins anew after so many numbers, and the
// stretches are added up then: roundoff grows with the sums of both roots, not
// with the root of a K-block.
inline constexpr std::int64_t kFoldStretch = 32;

// A row into another, number by number.
template <typename T, typename Fold>
void FoldInto(const T* x, std::int64_t count, T* into) {
  for (std::int64_t i = 0; i < count; ++i)
    into[i] = Fold::template Of<T>(into[i], x[i]);
}

// In lanes, by stretches; the lanes are folded in halves at the end.
template <typename T, typename Fold>
T FoldRow(const T* x, std::int64_t count) {
  T total[kFoldLanes];
  std::fill_n(total, kFoldLanes, Fold::template kNeutral<T>);
  for (std::int64_t i = 0; i < count;) {
    const std::int64_t end = std::min(count, i + kFoldStretch * kFoldLanes);
    T lanes[kFoldLanes];
    std::fill_n(lanes, kFoldLanes, Fold::template kNeutral<T>);
    for (; i + kFoldLanes <= end; i += kFoldLanes)
      for (std::int64_t lane = 0; lane < kFoldLanes; ++lane)
        lanes[lane] = Fold::template Of<T>(lanes[lane], x[i + lane]);
    for (std::int64_t lane = 0; i < end; ++lane, ++i)
      lanes[lane] = Fold::template Of<T>(lanes[lane], x[i]);
    FoldInto<T, Fold>(lanes, kFoldLanes, total);
  }
  for (std::int64_t half = kFoldLanes / 2; half > 0; half /= 2)
    FoldInto<T, Fold>(total + half, half, total);
  return total[0];
}

// `count` numbers, get(0) first, by stretches.
template <typename T, typename Fold, typename Get>
T FoldStretches(std::int64_t count, const Get& get) {
  T result = Fold::template kNeutral<T>;
  for (std::int64_t first = 0; first < count; first += kFoldStretch) {
    T stretch = Fold::template kNeutral<T>;
    for (std::int64_t i = first; i < std::min(count, first + kFoldStretch); ++i)
      stretch = Fold::template Of<T>(stretch, get(i));
    result = Fold::template Of<T>(result, stretch);
  }
  return result;
}

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_FOLD_LINE_H_
