// arg_sort on arrays: lines of numbers, by keys whose order is that of whole
// numbers.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "host/core/array_kernels.h"
#include "host/core/boxes.h"
#include "host/core/op_kernels.h"
#include "host/core/typed_loops.h"
#include "models/ops/index_loops.h"

namespace podsim {
namespace {

constexpr std::int64_t kSortTask = 1 << 12;  // elements that are worth a task

// What models/ops/sort.cc says of the two words.
std::int64_t KeyOfFloat(float x, bool descends) {
  using Limits = std::numeric_limits<std::int32_t>;
  if (std::isnan(x))
    return descends && std::signbit(x) ? Limits::min() : Limits::max();
  if (x == 0 && !descends) return 0;
  const auto bits = std::bit_cast<std::int32_t>(x);
  return bits < 0 ? bits ^ Limits::max() : bits;
}

template <typename T>
std::int64_t SortKey(T x, bool descends) {
  std::int64_t key = 0;
  if constexpr (std::is_same_v<T, float>)
    key = KeyOfFloat(x, descends);
  else
    key = x;
  return descends ? -key : key;
}

template <typename T>
void ArgSortOf(const ArrayCall& call, const Array& in) {
  const Dims& sizes = in.dims;
  const DimsView along = call.attributes.List("dimension");
  const auto dim = static_cast<std::size_t>(along[0]);
  const Dims lines = OffsetsOver(
      sizes, OthersOf(static_cast<std::int64_t>(sizes.size()), along));
  const std::int64_t length = sizes[dim];
  const std::int64_t stride = StridesOf(sizes)[dim];
  const bool descends = call.attributes.word == "GT";
  const T* x = in.as<const T>();
  auto* out = call.out[0].as<std::int32_t>();
  ForPanels(call.parallel, static_cast<std::int64_t>(lines.size()),
            std::max<std::int64_t>(kSortTask / (1 + length), 1),
            [&](std::int64_t begin, std::int64_t end) {
              std::vector<std::pair<std::int64_t, std::int32_t>> keys(
                  static_cast<std::size_t>(length));
              for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t line = lines[static_cast<std::size_t>(i)];
                for (std::int64_t j = 0; j < length; ++j)
                  keys[static_cast<std::size_t>(j)] = {
                      SortKey(x[line + j * stride], descends),
                      static_cast<std::int32_t>(j)};
                std::sort(keys.begin(), keys.end());
                for (std::int64_t j = 0; j < length; ++j)
                  out[line + j * stride] =
                      keys[static_cast<std::size_t>(j)].second;
              }
            });
}

}  // namespace

void ArgSort(const ArrayCall& call) {
  const WideOperand in(call.in[0]);
  WithType(in->dtype,
           [&]<typename T>(T /*element*/) { ArgSortOf<T>(call, *in); });
}

}  // namespace podsim
