// Text that grows line by line, kept as an object of a store that cannot
// append: the whole of it is written again now and then.
//
//   PODSIM_ASSIGN_OR_RETURN(auto log, StoredLog::Open(store, path, before));
//   log->Add("a line");
//   PODSIM_RETURN_IF_ERROR(log->Close());
#ifndef PODSIM_HOST_STORAGE_STORED_LOG_H_
#define PODSIM_HOST_STORAGE_STORED_LOG_H_

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "host/storage/paced_writer.h"
#include "host/storage/storage.h"

namespace podsim {

// Between two writes at least; ten times as long as the last one took, if that
// is longer.
inline constexpr std::chrono::milliseconds kLogInterval{30'000};

// A thread of its own writes; all text is kept until then. Thread-safe.
class StoredLog {
 public:
  // Begins with `before`, which is written at once. Errors: the store's.
  static absl::StatusOr<std::unique_ptr<StoredLog>> Open(
      std::unique_ptr<ObjectStore> store, const std::string& path,
      std::string before, std::chrono::milliseconds interval = kLogInterval);
  ~StoredLog();  // Close
  StoredLog(const StoredLog&) = delete;
  StoredLog& operator=(const StoredLog&) = delete;

  // A newline follows it. Does not block. REQUIRES: not closed.
  void Add(std::string_view line);
  // Blocks until all of it is written. Errors: the last write's. One that
  // failed before is forgotten: the next writes the whole again.
  absl::Status Close();

 private:
  StoredLog(std::unique_ptr<ObjectStore> store, std::string path,
            std::string before, std::chrono::milliseconds interval);
  // The whole text, on the writer's thread.
  Written Write();

  const std::unique_ptr<ObjectStore> store_;
  const std::string path_;
  Mutex mutex_;
  std::string text_ PODSIM_GUARDED_BY(mutex_);
  bool closing_ PODSIM_GUARDED_BY(mutex_) = false;
  absl::Status status_ PODSIM_GUARDED_BY(mutex_);
  PacedWriter writer_;  // last: its thread starts when all else stands
};

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_STORED_LOG_H_
