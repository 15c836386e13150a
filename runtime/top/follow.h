// Follows a job from event to event, through broken connections and restarts of
// its pod, until it has ended.
#ifndef PODSIM_RUNTIME_TOP_FOLLOW_H_
#define PODSIM_RUNTIME_TOP_FOLLOW_H_

#include <chrono>
#include <functional>
#include <stop_token>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/rpc/security.h"
#include "proto/watch.pb.h"
#include "runtime/top/watch_call.h"

namespace podsim {

struct FollowOptions {
  // Where the job is watched now; NOT_FOUND: it runs no more. Asked before each
  // call: every generation of a pod listens elsewhere.
  std::function<absl::StatusOr<WatchPlace>()> find;
  bool allow_plaintext_network = false;
  // In order, each once; from the caller's thread.
  std::function<void(const WatchedEvent&)> on_event;
  // Before the next call, however the last one ended (PauseAfter).
  std::chrono::milliseconds pause = std::chrono::milliseconds(200);
  std::chrono::milliseconds most_pause = std::chrono::seconds(2);
  // Calls without an event, one after the other: with their pauses a minute. A
  // coordinator that is started again plans its job before it listens.
  int most_failures = 35;
};

// The pause after a call when so many in a row have brought no event: `pause`
// after the first and after one that brought some, then doubled each time up to
// most_pause. Pure.
std::chrono::milliseconds PauseAfter(int failures,
                                     const FollowOptions& options);

// What to do when a call has ended. Pure.
enum class AfterCall {
  kEnd,       // the job is over, or it makes no sense to ask again
  kAskThere,  // after a pause, from WatchEnd::nearest on
  kAskAgain,  // after a pause, from where it broke
};
AfterCall DecideAfterCall(const WatchEnd& end, bool job_done);

// Blocks until the job has ended, a stop is requested, or it cannot be
// followed. Errors: those of `find` before the first event, of the call
//   (UNAUTHENTICATED; RESOURCE_EXHAUSTED of too many readers; UNAVAILABLE at
//   once, if nobody answers at an address that was given; any, such as
//   UNAVAILABLE and OUT_OF_RANGE, after most_failures).
absl::Status Follow(const FollowOptions& options, const std::stop_token& stop);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_TOP_FOLLOW_H_
