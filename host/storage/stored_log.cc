#include "host/storage/stored_log.h"

#include <utility>

#include "base/status.h"

namespace podsim {

absl::StatusOr<std::unique_ptr<StoredLog>> StoredLog::Open(
    std::unique_ptr<ObjectStore> store, const std::string& path,
    std::string before, std::chrono::milliseconds interval) {
  PODSIM_RETURN_IF_ERROR(store->Write(path, before));
  return std::unique_ptr<StoredLog>(
      new StoredLog(std::move(store), path, std::move(before), interval));
}

StoredLog::StoredLog(std::unique_ptr<ObjectStore> store, std::string path,
                     std::string before, std::chrono::milliseconds interval)
    : store_(std::move(store)),
      path_(std::move(path)),
      text_(std::move(before)),
      writer_({.first = interval, .interval = interval},
              [this] { return Write(); }) {}

StoredLog::~StoredLog() { static_cast<void>(Close()); }

void StoredLog::Add(std::string_view line) {
  {
    MutexLock lock(mutex_);
    PODSIM_CHECK(!closing_);
    text_.append(line);
    text_.push_back('\n');
  }
  writer_.Wake();
}

absl::Status StoredLog::Close() {
  {
    MutexLock lock(mutex_);
    closing_ = true;
  }
  writer_.Close();
  MutexLock lock(mutex_);
  return status_;
}

Written StoredLog::Write() {
  std::string text;
  {
    MutexLock lock(mutex_);
    text = text_;
  }
  absl::Status written = store_->Write(path_, text);
  MutexLock lock(mutex_);
  status_ = std::move(written);
  return status_.ok() ? Written::kAll : Written::kSomeLeft;
}

}  // namespace podsim
