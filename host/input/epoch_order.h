// In which order an epoch has its examples. Pure: a function of the seed, the
// epoch and the shards alone, so that any slice may begin anywhere in it.
#ifndef PODSIM_HOST_INPUT_EPOCH_ORDER_H_
#define PODSIM_HOST_INPUT_EPOCH_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/random.h"

namespace podsim {

// More hosts than that share lanes.
inline constexpr std::int64_t kMostLanes = 64;

// Shards that are read in lanes: shard s holds the examples
// [ends[s - 1], ends[s]).
struct ShardEnds {
  std::vector<std::int64_t> ends;
  std::int64_t window = 1;  // examples among which the order is random
  std::int64_t most_lanes = kMostLanes;
};

// In how many lanes an epoch reads the shards side by side: a power of two, as
// hosts are mostly. Each has its part of the window, at least 16 examples if
// there are more lanes than one.
std::int64_t LanesOf(const ShardEnds& shards);

// Where an epoch has an example: the `at`-th of a lane.
struct LanePlace {
  std::int64_t lane = 0;
  std::int64_t at = 0;
};

// Examples by index in the data set.
struct ExampleRange {
  std::int64_t first = 0;
  std::int64_t end = 0;  // behind the last

  bool empty() const { return end <= first; }
};

// Which one that is; and those of the same shard that are in the same part of
// the window: a lane reads all of them before it reads others.
struct LaneExample {
  std::int64_t index = 0;
  ExampleRange window;
};

class EpochOrder {
 public:
  // Of `size` examples, every order as likely as the permutation makes it; or,
  // with `shards` (borrowed), by shards: these in a random order one behind the
  // other, that row cut into lanes, which take turns so that all end together;
  // of each lane's part of the window a random order. REQUIRES: size >= 1, the
  // size of the shards.
  EpochOrder(std::uint64_t seed, std::int64_t epoch, std::int64_t size,
             const ShardEnds* shards);

  // The index of the example at `place` of [0, size).
  std::int64_t operator()(std::int64_t place) const;

  // By shards: fn(place, where) for the places [begin, end), in order; and the
  // example there. REQUIRES: with shards.
  void ForPlaces(
      std::int64_t begin, std::int64_t end,
      const std::function<void(std::int64_t, const LanePlace&)>& fn) const;
  LaneExample InLane(const LanePlace& place) const;

 private:
  void OrderShards();
  void CutLanes();
  std::int64_t LaneSize(std::size_t lane) const;
  std::int64_t PlacesBefore(std::int64_t round) const;
  std::int64_t RoundOf(std::int64_t place) const;

  const std::uint64_t key_;
  const std::int64_t size_;
  const ShardEnds* const shards_;
  std::optional<Permutation> whole_;
  // By place of a shard in the row: which one, and where its examples end.
  std::vector<std::int64_t> shard_at_;
  std::vector<std::int64_t> end_at_;
  // Where lanes begin in the row, and its end. In each round a lane has one
  // example or none; the largest one has one in each.
  std::vector<std::int64_t> lane_begin_;
  std::int64_t rounds_ = 0;
};

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_EPOCH_ORDER_H_
