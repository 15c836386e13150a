#include "host/storage/stored_log.h"

#include <algorithm>
#include <utility>

#include "base/signals_blocked.h"
#include "base/status.h"

namespace podsim {
namespace {

// Who adds a line ends the wait.
constexpr std::chrono::milliseconds kIdle = std::chrono::seconds(1);

}  // namespace

absl::StatusOr<std::unique_ptr<StoredLog>> StoredLog::Open(
    std::unique_ptr<ObjectStore> store, const std::string& path,
    std::string before, std::chrono::milliseconds interval) {
  PODSIM_RETURN_IF_ERROR(store->Write(path, before));
  const SignalsBlocked blocked;
  return std::unique_ptr<StoredLog>(
      new StoredLog(std::move(store), path, std::move(before), interval));
}

StoredLog::StoredLog(std::unique_ptr<ObjectStore> store, std::string path,
                     std::string before, std::chrono::milliseconds interval)
    : store_(std::move(store)),
      path_(std::move(path)),
      interval_(interval),
      text_(std::move(before)),
      due_(std::chrono::steady_clock::now() + interval),
      thread_([this] { Loop(); }) {}

StoredLog::~StoredLog() { static_cast<void>(Close()); }

void StoredLog::Add(std::string_view line) {
  MutexLock lock(mutex_);
  PODSIM_CHECK(!closing_);
  text_.append(line);
  text_.push_back('\n');
  dirty_ = true;
  changed_.NotifyOne();
}

absl::Status StoredLog::Close() {
  {
    MutexLock lock(mutex_);
    closing_ = true;
    changed_.NotifyOne();
  }
  if (thread_.joinable()) thread_.join();
  MutexLock lock(mutex_);
  return status_;
}

bool StoredLog::Next(std::string& text) {
  MutexLock lock(mutex_);
  for (;;) {
    const auto left = due_ - std::chrono::steady_clock::now();
    if (dirty_ && (closing_ || left <= left.zero())) break;
    if (closing_) return false;
    changed_.WaitFor(mutex_, dirty_ ? left : kIdle);
  }
  dirty_ = false;
  text = text_;
  return true;
}

void StoredLog::Loop() {
  std::string text;
  while (Next(text)) {
    const auto start = std::chrono::steady_clock::now();
    absl::Status written = store_->Write(path_, text);
    const auto end = std::chrono::steady_clock::now();
    MutexLock lock(mutex_);
    status_ = std::move(written);
    if (!status_.ok() && !closing_) dirty_ = true;
    due_ = end + std::max<std::chrono::steady_clock::duration>(
                     interval_, 10 * (end - start));
  }
}

}  // namespace podsim
