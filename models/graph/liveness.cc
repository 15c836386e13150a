#include "models/graph/liveness.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

namespace podsim {
namespace {

struct PlacedBuffer {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  BufferUse use;
};

// The smallest gap between what is alive with `buffer`, or behind it all.
// `placed`: in ascending order of begin, then end: so gaps come in order.
std::int64_t BestGap(const std::vector<PlacedBuffer>& placed,
                     const BufferUse& buffer) {
  std::int64_t best = -1;
  std::int64_t best_slack = std::numeric_limits<std::int64_t>::max();
  std::int64_t free_from = 0;
  for (const PlacedBuffer& other : placed) {
    if (!buffer.AliveWith(other.use)) continue;
    const std::int64_t slack = other.begin - free_from - buffer.size;
    if (slack >= 0 && slack < best_slack) {
      best = free_from;
      best_slack = slack;
    }
    free_from = std::max(free_from, other.end);
  }
  return best >= 0 ? best : free_from;
}

void Insert(const PlacedBuffer& buffer, std::vector<PlacedBuffer>& placed) {
  const auto at = std::upper_bound(
      placed.begin(), placed.end(), buffer,
      [](const PlacedBuffer& a, const PlacedBuffer& b) {
        return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
      });
  placed.insert(at, buffer);
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
  std::vector<PlacedBuffer> placed;
  placed.reserve(buffers.size());
  for (const std::size_t next : order) {
    const BufferUse& buffer = buffers[next];
    const std::int64_t offset = BestGap(placed, buffer);
    Insert({.begin = offset, .end = offset + buffer.size, .use = buffer},
           placed);
    result.offsets[next] = offset;
    result.total = std::max(result.total, offset + buffer.size);
  }
  return result;
}

}  // namespace podsim
