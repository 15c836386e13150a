#include "host/input/epoch_order.h"

#include <algorithm>
#include <cstddef>

#include "base/status.h"

namespace podsim {
namespace {

std::uint64_t EpochKey(std::uint64_t seed, std::int64_t epoch) {
  const auto words = Philox(RandomKey(seed, "data stream"),
                            static_cast<std::uint64_t>(epoch), 0);
  return (std::uint64_t{words[0]} << 32) | words[1];
}

std::int64_t BeginOf(const std::vector<std::int64_t>& ends, std::size_t at) {
  return at == 0 ? 0 : ends[at - 1];
}

}  // namespace

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
  const Permutation order(RandomKey(key_, "shards"), shards->ends.size());
  std::int64_t end = 0;
  for (std::size_t at = 0; at < shards->ends.size(); ++at) {
    const auto shard = static_cast<std::size_t>(order(at));
    end += shards->ends[shard] - BeginOf(shards->ends, shard);
    shard_at_.push_back(static_cast<std::int64_t>(shard));
    end_at_.push_back(end);
  }
}

std::int64_t EpochOrder::operator()(std::int64_t place) const {
  PODSIM_CHECK(place >= 0 && place < size_);
  if (shards_ != nullptr) return InShards(place);
  return static_cast<std::int64_t>(
      (*whole_)(static_cast<std::uint64_t>(place)));
}

std::int64_t EpochOrder::InShards(std::int64_t place) const {
  const std::int64_t window = place / shards_->window;
  const std::int64_t first = window * shards_->window;
  const Permutation order(
      RandomKey(key_ + static_cast<std::uint64_t>(window), "window"),
      static_cast<std::uint64_t>(std::min(shards_->window, size_ - first)));
  const std::int64_t in_row =
      first + static_cast<std::int64_t>(
                  order(static_cast<std::uint64_t>(place - first)));
  // Empty shards end where they begin: the first that ends beyond has it.
  const auto at = static_cast<std::size_t>(
      std::upper_bound(end_at_.begin(), end_at_.end(), in_row) -
      end_at_.begin());
  return BeginOf(shards_->ends, static_cast<std::size_t>(shard_at_[at])) +
         in_row - BeginOf(end_at_, at);
}

}  // namespace podsim
