#include "host/storage/watched_store.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "host/storage/wrapper.h"

namespace podsim {
namespace {

// The life of a call.
class Call {
 public:
  Call(StoreWatch& watch, bool of_file) : watch_(watch), of_file_(of_file) {
    if (!of_file_) watch_.Begin(began_);
  }
  ~Call() { of_file_ ? watch_.Count() : watch_.End(began_); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  StoreWatch& watch_;
  const bool of_file_;
  const absl::Time began_ = absl::Now();
};

class WatchedStore final : public ObjectStoreWrapper {
 public:
  WatchedStore(std::unique_ptr<ObjectStore> base, StoreWatch* watch)
      : ObjectStoreWrapper(base.get()),
        owned_(std::move(base)),
        watch_(watch) {}

  absl::StatusOr<std::string> Read(std::string_view path) override {
    const Call call(*watch_, owned_->CanMap(path));
    return owned_->Read(path);
  }
  absl::StatusOr<std::string> ReadRange(std::string_view path,
                                        std::int64_t offset,
                                        std::int64_t length) override {
    const Call call(*watch_, owned_->CanMap(path));
    return owned_->ReadRange(path, offset, length);
  }
  absl::StatusOr<ObjectStat> Stat(std::string_view path) override {
    const Call call(*watch_, owned_->CanMap(path));
    return owned_->Stat(path);
  }
  absl::Status Write(std::string_view path, std::string_view bytes) override {
    const Call call(*watch_, owned_->CanMap(path));
    return owned_->Write(path, bytes);
  }
  absl::StatusOr<std::vector<std::string>> List(
      std::string_view prefix) override {
    const Call call(*watch_, owned_->CanMap(prefix));
    return owned_->List(prefix);
  }

 private:
  const std::unique_ptr<ObjectStore> owned_;
  StoreWatch* const watch_;
};

}  // namespace

void StoreWatch::Begin(absl::Time at) {
  MutexLock lock(mutex_);
  began_.insert(at);
}

void StoreWatch::End(absl::Time began) {
  MutexLock lock(mutex_);
  began_.erase(began_.find(began));
  ++done_;
}

void StoreWatch::Count() {
  MutexLock lock(mutex_);
  ++done_;
}

std::int64_t StoreWatch::done() const {
  MutexLock lock(mutex_);
  return done_;
}

absl::Duration StoreWatch::longest_wait(absl::Time now) const {
  MutexLock lock(mutex_);
  if (began_.empty()) return absl::ZeroDuration();
  return std::max(absl::ZeroDuration(), now - *began_.begin());
}

std::unique_ptr<ObjectStore> WatchStore(std::unique_ptr<ObjectStore> base,
                                        StoreWatch* watch) {
  return std::make_unique<WatchedStore>(std::move(base), watch);
}

}  // namespace podsim
