#include "host/input/epoch_order.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "base/status.h"

namespace podsim {
namespace {

// Of a lane, unless it is the only one.
constexpr std::int64_t kLeastLaneWindow = 16;

__extension__ using Wide = unsigned __int128;

std::uint64_t EpochKey(std::uint64_t seed, std::int64_t epoch) {
  const auto words = Philox(RandomKey(seed, "data stream"),
                            static_cast<std::uint64_t>(epoch), 0);
  return (std::uint64_t{words[0]} << 32) | words[1];
}

std::int64_t BeginOf(const std::vector<std::int64_t>& ends, std::size_t at) {
  return at == 0 ? 0 : ends[at - 1];
}

// a * b / c and its rest.
struct Quotient {
  std::int64_t whole;
  std::int64_t rest;
};
Quotient TimesOver(std::int64_t a, std::int64_t b, std::int64_t c) {
  const Wide product = static_cast<Wide>(a) * static_cast<Wide>(b);
  const auto by = static_cast<Wide>(c);
  return {static_cast<std::int64_t>(product / by),
          static_cast<std::int64_t>(product % by)};
}

}  // namespace

std::int64_t LanesOf(const ShardEnds& shards) {
  const std::int64_t lanes = std::clamp<std::int64_t>(
      std::min(shards.window, shards.ends.back()) / kLeastLaneWindow, 1,
      shards.most_lanes);
  return static_cast<std::int64_t>(
      std::bit_floor(static_cast<std::uint64_t>(lanes)));
}

EpochOrder::EpochOrder(std::uint64_t seed, std::int64_t epoch,
                       std::int64_t size, const ShardEnds* shards)
    : key_(EpochKey(seed, epoch)), size_(size), shards_(shards) {
  PODSIM_CHECK(size >= 1 && epoch >= 0);
  if (shards == nullptr) {
    whole_.emplace(key_, static_cast<std::uint64_t>(size));
    return;
  }
  PODSIM_CHECK(shards->window >= 1 && !shards->ends.empty() &&
               shards->ends.back() == size);
  OrderShards();
  CutLanes();
}

void EpochOrder::OrderShards() {
  const std::vector<std::int64_t>& ends = shards_->ends;
  const Permutation order(RandomKey(key_, "shards"), ends.size());
  std::int64_t end = 0;
  for (std::size_t at = 0; at < ends.size(); ++at) {
    const auto shard = static_cast<std::size_t>(order(at));
    end += ends[shard] - BeginOf(ends, shard);
    shard_at_.push_back(static_cast<std::int64_t>(shard));
    end_at_.push_back(end);
  }
}

// Equal parts of the row.
void EpochOrder::CutLanes() {
  const std::int64_t lanes = LanesOf(*shards_);
  for (std::int64_t lane = 0; lane <= lanes; ++lane)
    lane_begin_.push_back(TimesOver(size_, lane, lanes).whole);
  for (std::size_t lane = 0; lane + 1 < lane_begin_.size(); ++lane)
    rounds_ = std::max(rounds_, LaneSize(lane));
}

std::int64_t EpochOrder::LaneSize(std::size_t lane) const {
  return lane_begin_[lane + 1] - lane_begin_[lane];
}

std::int64_t EpochOrder::operator()(std::int64_t place) const {
  PODSIM_CHECK(place >= 0 && place < size_);
  if (shards_ == nullptr)
    return static_cast<std::int64_t>(
        (*whole_)(static_cast<std::uint64_t>(place)));
  std::int64_t index = 0;
  ForPlaces(place, place + 1,
            [&](std::int64_t /*place*/, const LanePlace& where) {
              index = InLane(where).index;
            });
  return index;
}

// Of the rounds before `round`.
std::int64_t EpochOrder::PlacesBefore(std::int64_t round) const {
  std::int64_t places = 0;
  for (std::size_t lane = 0; lane + 1 < lane_begin_.size(); ++lane)
    places += TimesOver(round, LaneSize(lane), rounds_).whole;
  return places;
}

std::int64_t EpochOrder::RoundOf(std::int64_t place) const {
  std::int64_t low = 0;
  std::int64_t high = rounds_ - 1;
  while (low < high) {
    const std::int64_t middle = (low + high + 1) / 2;
    if (PlacesBefore(middle) <= place)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

// In round r lane l has an example if floor((r + 1) n / R) > floor(r n / R), of
// its n examples and R rounds: `due` is the part of one that it has left over.
void EpochOrder::ForPlaces(
    std::int64_t begin, std::int64_t end,
    const std::function<void(std::int64_t, const LanePlace&)>& fn) const {
  PODSIM_CHECK(shards_ != nullptr && begin >= 0 && end <= size_);
  if (begin >= end) return;
  const std::int64_t round = RoundOf(begin);
  std::int64_t place = PlacesBefore(round);
  std::vector<Quotient> due;
  for (std::size_t lane = 0; lane + 1 < lane_begin_.size(); ++lane)
    due.push_back(TimesOver(round, LaneSize(lane), rounds_));
  for (;;)
    for (std::size_t lane = 0; lane < due.size(); ++lane) {
      auto& [at, rest] = due[lane];
      rest += LaneSize(lane);
      if (rest < rounds_) continue;
      rest -= rounds_;
      if (place >= begin) fn(place, {static_cast<std::int64_t>(lane), at});
      ++at;
      if (++place == end) return;
    }
}

LaneExample EpochOrder::InLane(const LanePlace& place) const {
  const auto lane = static_cast<std::size_t>(place.lane);
  const std::int64_t window = std::max<std::int64_t>(
      shards_->window / static_cast<std::int64_t>(lane_begin_.size() - 1), 1);
  const std::int64_t number = place.at / window;
  const std::int64_t first = number * window;
  // No two windows of an epoch have the same first example.
  const Permutation order(
      RandomKey(key_ + static_cast<std::uint64_t>(lane_begin_[lane] + first),
                "window"),
      static_cast<std::uint64_t>(std::min(window, LaneSize(lane) - first)));
  const std::int64_t in_row =
      lane_begin_[lane] + first +
      static_cast<std::int64_t>(
          order(static_cast<std::uint64_t>(place.at - first)));
  // Empty shards end where they begin: the first that ends beyond has it.
  const auto at = static_cast<std::size_t>(
      std::upper_bound(end_at_.begin(), end_at_.end(), in_row) -
      end_at_.begin());
  const std::int64_t shard_in_row = BeginOf(end_at_, at);
  const std::int64_t shard =
      BeginOf(shards_->ends, static_cast<std::size_t>(shard_at_[at]));
  const std::int64_t begin = lane_begin_[lane] + first;
  const std::int64_t end =
      std::min({begin + window, lane_begin_[lane + 1], end_at_[at]});
  return {
      .index = shard + in_row - shard_in_row,
      .window = {.first = shard + std::max(begin, shard_in_row) - shard_in_row,
                 .end = shard + end - shard_in_row}};
}

}  // namespace podsim
