// Pieces of files in memory, at most so many bytes of them, the longest unused
// forgotten first.
#ifndef PODSIM_HOST_INPUT_BLOCK_CACHE_H_
#define PODSIM_HOST_INPUT_BLOCK_CACHE_H_

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/mutex.h"

namespace podsim {

// Thread-safe.
class BlockCache {
 public:
  using Key = std::pair<std::int64_t, std::int64_t>;  // file, block
  using Block = std::shared_ptr<const std::string>;

  explicit BlockCache(std::int64_t capacity) : capacity_(capacity) {}

  // Null: it is not there.
  Block Find(const Key& key) PODSIM_EXCLUDES(mutex_);
  // Keeps it, if it is not larger than all that may be kept. What is there
  // under that key stays.
  void Insert(const Key& key, Block block) PODSIM_EXCLUDES(mutex_);
  std::int64_t bytes() const PODSIM_EXCLUDES(mutex_);
  std::int64_t capacity() const { return capacity_; }

 private:
  struct Entry {
    Block block;
    std::list<Key>::iterator use;
  };

  const std::int64_t capacity_;
  mutable Mutex mutex_;
  std::list<Key> uses_ PODSIM_GUARDED_BY(mutex_);  // newest first
  std::map<Key, Entry> blocks_ PODSIM_GUARDED_BY(mutex_);
  std::int64_t bytes_ PODSIM_GUARDED_BY(mutex_) = 0;
};

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_BLOCK_CACHE_H_
