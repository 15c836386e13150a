// A store that counts what is asked of it.
#ifndef PODSIM_TESTS_HOST_STORAGE_COUNTING_STORE_H_
#define PODSIM_TESTS_HOST_STORAGE_COUNTING_STORE_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "host/storage/wrapper.h"

namespace podsim::testing {

class CountingStore final : public ObjectStoreWrapper {
 public:
  using ObjectStoreWrapper::ObjectStoreWrapper;
  absl::StatusOr<std::string> ReadRange(std::string_view path,
                                        std::int64_t offset,
                                        std::int64_t length) override {
    auto bytes = ObjectStoreWrapper::ReadRange(path, offset, length);
    if (!bytes.ok()) return bytes;
    const auto size = static_cast<std::int64_t>(bytes->size());
    read += size;
    ++calls;
    MutexLock lock(mutex_);
    first_ = std::min(first_, offset);
    end_ = std::max(end_, offset + size);
    return bytes;
  }

  // Where the first read began and the last ended.
  std::int64_t first() const {
    MutexLock lock(mutex_);
    return first_;
  }
  std::int64_t end() const {
    MutexLock lock(mutex_);
    return end_;
  }

  std::atomic<std::int64_t> read{0};
  std::atomic<std::int64_t> calls{0};

 private:
  mutable Mutex mutex_;
  std::int64_t first_ PODSIM_GUARDED_BY(mutex_) =
      std::numeric_limits<std::int64_t>::max();
  std::int64_t end_ PODSIM_GUARDED_BY(mutex_) = 0;
};

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_HOST_STORAGE_COUNTING_STORE_H_
