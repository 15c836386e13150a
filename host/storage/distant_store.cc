#include "host/storage/distant_store.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/random.h"
#include "base/status.h"
#include "host/storage/uri_store.h"
#include "host/storage/wrapper.h"

namespace podsim {
namespace {

bool IsBelow(std::string_view path, std::string_view prefix) {
  if (prefix == ".")
    return SchemeOf(path).empty() && (path.empty() || path.front() != '/');
  if (prefix == "/") return path.substr(0, 1) == prefix;
  return path.substr(0, prefix.size()) == prefix &&
         (path.size() == prefix.size() || path[prefix.size()] == '/');
}

// A place, and what is on the way to it and back.
class Way {
 public:
  Way(DistantPlace place, std::uint64_t seed)
      : place_(std::move(place)),
        seed_(seed),
        there_(place_.distance.bytes_per_second),
        back_(place_.distance.bytes_per_second) {}

  const std::string& prefix() const { return place_.prefix; }
  // When an answer of `bytes` is here whose request went out at `sent`.
  absl::Time Answered(absl::Time sent, std::int64_t bytes) {
    return back_.Carry(sent + RoundTrip(), bytes);
  }
  // When it is known that `bytes` have arrived that went out at `sent`.
  absl::Time Written(absl::Time sent, std::int64_t bytes) {
    return there_.Carry(sent, bytes) + RoundTrip();
  }

 private:
  absl::Duration RoundTrip() {
    const double mean = place_.distance.round_trip_seconds;
    const double jitter = std::min(place_.distance.jitter_seconds, mean);
    const double draw =
        static_cast<double>(UniformFloat(seed_, draws_.fetch_add(1)));
    return absl::Seconds(mean + jitter * (2 * draw - 1));
  }

  const DistantPlace place_;
  const std::uint64_t seed_;
  StoreLine there_;
  StoreLine back_;
  std::atomic<std::uint64_t> draws_{0};
};

class DistantStore final : public ObjectStoreWrapper,
                           public ConditionalObjects {
 public:
  DistantStore(std::unique_ptr<ObjectStore> base,
               const std::vector<DistantPlace>& places, Waiter waiter,
               std::uint64_t seed)
      : ObjectStoreWrapper(base.get()),
        base_(std::move(base)),
        waiter_(std::move(waiter)) {
    for (const DistantPlace& place : places)
      ways_.push_back(std::make_unique<Way>(place, seed + ways_.size()));
  }

  absl::StatusOr<std::string> Read(std::string_view path) override {
    return Fetch(path, [&] { return base_->Read(path); });
  }
  absl::StatusOr<std::string> ReadRange(std::string_view path,
                                        std::int64_t offset,
                                        std::int64_t length) override {
    return Fetch(path, [&] { return base_->ReadRange(path, offset, length); });
  }
  absl::StatusOr<ObjectStat> Stat(std::string_view path) override {
    Send(path, 0);
    return base_->Stat(path);
  }
  absl::Status Write(std::string_view path, std::string_view bytes) override {
    Send(path, bytes.size());
    return base_->Write(path, bytes);
  }
  absl::StatusOr<std::vector<std::string>> List(
      std::string_view prefix) override {
    Send(prefix, 0);
    return base_->List(prefix);
  }
  absl::Status Delete(std::string_view path) override {
    Send(path, 0);
    return base_->Delete(path);
  }
  absl::Status DeleteTree(std::string_view directory) override {
    Send(directory, 0);
    return base_->DeleteTree(directory);
  }
  absl::Status Rename(std::string_view from, std::string_view to) override {
    Send(from, 0);
    return base_->Rename(from, to);
  }
  bool CanMap(std::string_view path) const override {
    return WayTo(path) == nullptr && base_->CanMap(path);
  }

  ConditionalObjects* Conditional(std::string_view path) override {
    return base_->Conditional(path) == nullptr ? nullptr : this;
  }
  absl::StatusOr<std::vector<Listed>> ListTree(
      std::string_view directory) override {
    Send(directory, 0);
    return base_->Conditional(directory)->ListTree(directory);
  }
  absl::StatusOr<std::optional<Version>> ReadVersion(
      std::string_view path) override {
    Send(path, 0);
    return base_->Conditional(path)->ReadVersion(path);
  }
  absl::StatusOr<std::int64_t> WriteIf(std::string_view path,
                                       std::string_view bytes,
                                       std::int64_t expected) override {
    Send(path, bytes.size());
    return base_->Conditional(path)->WriteIf(path, bytes, expected);
  }
  absl::Status DeleteIf(std::string_view path, std::int64_t expected) override {
    Send(path, 0);
    return base_->Conditional(path)->DeleteIf(path, expected);
  }
  absl::Status CopyIf(std::string_view from, std::string_view to,
                      std::int64_t expected) override {
    Send(from, 0);
    return base_->Conditional(from)->CopyIf(from, to, expected);
  }

 private:
  Way* WayTo(std::string_view path) const {
    const auto found = std::find_if(
        ways_.begin(), ways_.end(),
        [&](const auto& way) { return IsBelow(path, way->prefix()); });
    return found == ways_.end() ? nullptr : found->get();
  }
  void WaitUntil(absl::Time time) const {
    const absl::Duration left = time - waiter_.now();
    if (left > absl::ZeroDuration()) waiter_.wait(left);
  }
  // Waits as long as a request takes that brings `bytes` there.
  void Send(std::string_view path, std::size_t bytes) const {
    if (Way* const way = WayTo(path))
      WaitUntil(way->Written(waiter_.now(), static_cast<std::int64_t>(bytes)));
  }
  template <typename Call>
  absl::StatusOr<std::string> Fetch(std::string_view path,
                                    const Call& call) const {
    const absl::Time sent = waiter_.now();
    absl::StatusOr<std::string> bytes = call();
    if (Way* const way = WayTo(path))
      WaitUntil(way->Answered(
          sent, bytes.ok() ? static_cast<std::int64_t>(bytes->size()) : 0));
    return bytes;
  }

  const std::unique_ptr<ObjectStore> base_;
  const Waiter waiter_;
  std::vector<std::unique_ptr<Way>> ways_;
};

}  // namespace

absl::Time StoreLine::Carry(absl::Time ready, std::int64_t bytes) {
  const absl::Duration takes =
      absl::Seconds(static_cast<double>(bytes) / bytes_per_second_);
  MutexLock lock(mutex_);
  free_ = std::max(ready, free_) + takes;
  return free_;
}

std::unique_ptr<ObjectStore> NewDistantStore(
    std::unique_ptr<ObjectStore> base, const std::vector<DistantPlace>& places,
    Waiter waiter, std::uint64_t seed) {
  return std::make_unique<DistantStore>(std::move(base), places,
                                        std::move(waiter), seed);
}

}  // namespace podsim
