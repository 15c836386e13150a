// In which order an epoch has its examples. Pure: a function of the seed, the
// epoch and the numbers of examples alone, so that any slice may begin
// anywhere in it.
#ifndef PODSIM_HOST_INPUT_EPOCH_ORDER_H_
#define PODSIM_HOST_INPUT_EPOCH_ORDER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "base/random.h"

namespace podsim {

// Shards that are read from front to back: shard s holds the examples
// [ends[s - 1], ends[s]).
struct ShardEnds {
  std::vector<std::int64_t> ends;
  std::int64_t window = 1;  // examples among which the order is random
};

class EpochOrder {
 public:
  // Of `size` examples, every order as likely as the permutation makes it; or,
  // with `shards` (borrowed), by shards: these in a random order, their
  // examples one after the other, and of each `window` of that row a random
  // order. REQUIRES: size >= 1, the size of the shards.
  EpochOrder(std::uint64_t seed, std::int64_t epoch, std::int64_t size,
             const ShardEnds* shards);

  // The index of the example at `place` of [0, size).
  std::int64_t operator()(std::int64_t place) const;

 private:
  std::int64_t InShards(std::int64_t place) const;

  const std::uint64_t key_;
  const std::int64_t size_;
  const ShardEnds* const shards_;
  std::optional<Permutation> whole_;
  // By place of a shard in the epoch: which one, and where its examples end.
  std::vector<std::int64_t> shard_at_;
  std::vector<std::int64_t> end_at_;
};

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_EPOCH_ORDER_H_
