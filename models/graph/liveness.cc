#include "models/graph/liveness.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>

namespace podsim {
namespace {

// `busy`: [begin, end) ranges in ascending order of begin.
std::int64_t BestGap(
    const std::vector<std::pair<std::int64_t, std::int64_t>>& busy,
    std::int64_t size) {
  std::int64_t best = -1;
  std::int64_t best_slack = std::numeric_limits<std::int64_t>::max();
  std::int64_t free_from = 0;
  for (const auto& [begin, end] : busy) {
    const std::int64_t slack = begin - free_from - size;
    if (slack >= 0 && slack < best_slack) {
      best = free_from;
      best_slack = slack;
    }
    free_from = std::max(free_from, end);
  }
  return best >= 0 ? best : free_from;
}

}  // namespace

BufferPlacement PlaceBuffers(const std::vector<BufferUse>& buffers) {
  std::vector<std::size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) {
                     return buffers[a].size > buffers[b].size;
                   });
  BufferPlacement result;
  result.offsets.resize(buffers.size());
  for (std::size_t placed = 0; placed < order.size(); ++placed) {
    const BufferUse& buffer = buffers[order[placed]];
    std::vector<std::pair<std::int64_t, std::int64_t>> busy;
    for (std::size_t i = 0; i < placed; ++i) {
      const BufferUse& other = buffers[order[i]];
      const std::int64_t begin = result.offsets[order[i]];
      if (buffer.AliveWith(other)) busy.emplace_back(begin, begin + other.size);
    }
    std::sort(busy.begin(), busy.end());
    const std::int64_t offset = BestGap(busy, buffer.size);
    result.offsets[order[placed]] = offset;
    result.total = std::max(result.total, offset + buffer.size);
  }
  return result;
}

}  // namespace podsim
