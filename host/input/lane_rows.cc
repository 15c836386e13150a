#include "host/input/lane_rows.h"

#include <algorithm>
#include <cstddef>
#include <deque>

#include "base/status.h"

namespace podsim {
namespace {

struct LaneRow {
  std::int64_t k = 0;
  std::size_t epoch = 0;  // of those of the step
  LanePlace where;
};

}  // namespace

std::vector<StreamRow> RowsByLane(const ShardEnds& shards, std::uint64_t seed,
                                  std::int64_t consumed, std::int64_t batch,
                                  const HostsRows& of) {
  PODSIM_CHECK(of.first >= 0 && of.count >= 0 && of.of_host >= 1 &&
               of.first + of.count <= batch);
  const std::int64_t size = shards.ends.back();
  std::deque<EpochOrder> epochs;
  std::vector<std::vector<LaneRow>> lanes(
      static_cast<std::size_t>(LanesOf(shards)));
  for (std::int64_t k = consumed; k < consumed + batch;) {
    const std::int64_t epoch = k / size;
    const std::int64_t end = std::min(consumed + batch, (epoch + 1) * size);
    epochs.emplace_back(seed, epoch, size, &shards);
    epochs.back().ForPlaces(
        k - epoch * size, end - epoch * size,
        [&](std::int64_t place, const LanePlace& where) {
          lanes[static_cast<std::size_t>(where.lane)].push_back(
              {epoch * size + place, epochs.size() - 1, where});
        });
    k = end;
  }
  std::vector<StreamRow> rows;
  rows.reserve(static_cast<std::size_t>(of.count));
  std::int64_t row = 0;
  for (const std::vector<LaneRow>& lane : lanes)
    for (const LaneRow& each : lane) {
      if (row >= of.first && row < of.first + of.count) {
        const LaneExample at = epochs[each.epoch].InLane(each.where);
        rows.push_back({each.k, at.index, at.window});
      }
      ++row;
    }
  for (auto begin = rows.begin(); begin != rows.end();) {
    const auto end =
        begin + std::min<std::ptrdiff_t>(of.of_host, rows.end() - begin);
    std::sort(begin, end,
              [](const StreamRow& a, const StreamRow& b) { return a.k < b.k; });
    begin = end;
  }
  return rows;
}

}  // namespace podsim
