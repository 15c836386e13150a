#include "host/input/block_cache.h"

namespace podsim {

BlockCache::Block BlockCache::Find(const Key& key) {
  MutexLock lock(mutex_);
  const auto found = blocks_.find(key);
  if (found == blocks_.end()) return nullptr;
  uses_.splice(uses_.begin(), uses_, found->second.use);
  return found->second.block;
}

void BlockCache::Insert(const Key& key, Block block) {
  const auto size = static_cast<std::int64_t>(block->size());
  if (size > capacity_) return;
  MutexLock lock(mutex_);
  if (blocks_.contains(key)) return;
  while (bytes_ + size > capacity_) {
    const auto oldest = blocks_.find(uses_.back());
    bytes_ -= static_cast<std::int64_t>(oldest->second.block->size());
    blocks_.erase(oldest);
    uses_.pop_back();
  }
  uses_.push_front(key);
  blocks_.emplace(key, Entry{std::move(block), uses_.begin()});
  bytes_ += size;
}

std::int64_t BlockCache::bytes() const {
  MutexLock lock(mutex_);
  return bytes_;
}

}  // namespace podsim
