// Follows a job by its metrics file: all that it holds, and then, if asked to,
// what the running job adds to it.
#ifndef PODSIM_RUNTIME_TOP_FOLLOW_FILE_H_
#define PODSIM_RUNTIME_TOP_FOLLOW_FILE_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "absl/status/status.h"
#include "host/storage/storage.h"
#include "proto/watch.pb.h"

namespace podsim {

struct FollowFileOptions {
  std::string path;
  // In order, each once; from the caller's thread, as the others.
  std::function<void(const WatchedEvent&)> on_event;
  // What follows is of another launch of the job, which knows nothing of those
  // before.
  std::function<void()> on_launch;
  // A line that is no record, by its number: the first one, once, before
  // on_current, or later.
  std::function<void(std::int64_t)> on_bad_line = [](std::int64_t) {};
  // The end of the file has been reached: once.
  std::function<void()> on_current;
  bool grows = false;  // whether to wait for more
  std::chrono::milliseconds pause = std::chrono::milliseconds(200);
};

// Blocks until the file ends with a job's last line; if `grows` is not set, at
// its end whatever the last line is; until a stop is requested.
// Errors: those of `store`; INVALID_ARGUMENT (it is another kind of file);
//   FAILED_PRECONDITION (its lines are no whole events; it has become shorter).
absl::Status FollowFile(const FollowFileOptions& options, ObjectStore& store,
                        const std::stop_token& stop);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_TOP_FOLLOW_FILE_H_
