#include "runtime/top/follow.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/stop_wait.h"

namespace podsim {
namespace {

// Where in the job's events the next one stands.
struct Place {
  std::uint64_t next = 0;
  std::uint32_t generation = 0;
  bool seen = false;  // one has come
  bool done = false;  // none more is to be expected
};

// After it only old checkpoints are deleted. A launcher may start a failed pod
// again; a coordinator without one ends.
bool IsLast(const JobEvent& event, const WatchPlace& where) {
  return event.has_done() || (event.has_failed() && where.launcher_pid() == 0);
}

absl::StatusOr<WatchEnd> CallOnce(const FollowOptions& options,
                                  const WatchPlace& where, Place& place,
                                  const std::stop_token& stop, bool& came) {
  WatchRequest request;
  request.set_from_sequence(place.next);
  request.set_generation(place.generation);
  PODSIM_ASSIGN_OR_RETURN(const std::unique_ptr<WatchCall> call,
                          WatchCall::Open(where.address(),
                                          {.token = where.token(),
                                           .allow_plaintext_network =
                                               options.allow_plaintext_network},
                                          request));
  const std::stop_callback cancel(stop, [&call] { call->Cancel(); });
  WatchedEvent event;
  while (call->Next(event)) {
    came = place.seen = true;
    place.next = event.sequence() + 1;
    place.generation = event.generation();
    if (IsLast(event.event(), where)) place.done = true;
    options.on_event(event);
  }
  return call->Finish();
}

absl::Status NobodyTells(const WatchEnd& end, const WatchPlace& where) {
  return absl::Status(
      end.status.ok() ? absl::StatusCode::kUnavailable : end.status.code(),
      absl::StrCat("nobody tells of the job at ", where.address(), ": ",
                   std::string(end.status.message())));
}

absl::Status OtherServer(const WatchEnd& end, const WatchPlace& where) {
  return absl::UnimplementedError(absl::StrCat(
      "what answers at ", where.address(), " is no coordinator of podsim, or ",
      "one of another version: ", std::string(end.status.message()),
      "; give the address that the job's coordinator says it listens at"));
}

absl::Status NobodyListens(const WatchEnd& end, const WatchPlace& where) {
  return absl::UnavailableError(absl::StrCat(
      "--address is ", where.address(),
      ", where nobody answers: ", std::string(end.status.message()),
      "; give the address of a coordinator that runs, as pod_coordinator "
      "--listen has it"));
}

}  // namespace

std::chrono::milliseconds PauseAfter(int failures,
                                     const FollowOptions& options) {
  std::chrono::milliseconds pause = options.pause;
  for (int i = 1; i < failures && pause < options.most_pause; ++i) pause *= 2;
  return std::min(pause, options.most_pause);
}

AfterCall DecideAfterCall(const WatchEnd& end, bool job_done) {
  if (end.nearest != 0) return AfterCall::kAskThere;
  switch (end.status.code()) {
    case absl::StatusCode::kOk:
      return job_done ? AfterCall::kEnd : AfterCall::kAskAgain;
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kUnimplemented:
    case absl::StatusCode::kInvalidArgument:
      return AfterCall::kEnd;
    default:
      return AfterCall::kAskAgain;
  }
}

absl::Status Follow(const FollowOptions& options, const std::stop_token& stop) {
  Place place;
  for (int failures = 0; !stop.stop_requested();) {
    const absl::StatusOr<WatchPlace> where = options.find();
    // The launcher has gone: the job ended while nobody listened.
    if (absl::IsNotFound(where.status()) && place.seen) return absl::OkStatus();
    PODSIM_RETURN_IF_ERROR(where.status());
    bool came = false;
    PODSIM_ASSIGN_OR_RETURN(const WatchEnd end,
                            CallOnce(options, *where, place, stop, came));
    if (stop.stop_requested()) break;
    const AfterCall after = DecideAfterCall(end, place.done);
    if (after == AfterCall::kEnd)
      return absl::IsUnimplemented(end.status) ? OtherServer(end, *where)
                                               : end.status;
    // The coordinator of a job that is done has ended meanwhile.
    if (place.done && !came && absl::IsUnavailable(end.status))
      return absl::OkStatus();
    if (after == AfterCall::kAskThere) place.next = end.nearest;
    failures = came ? 0 : failures + 1;
    // No launcher of this machine says that a pod is there, or will be.
    if (where->launcher_pid() == 0 && !place.seen &&
        absl::IsUnavailable(end.status))
      return NobodyListens(end, *where);
    if (failures > options.most_failures) return NobodyTells(end, *where);
    // Whoever was cut off as too slow, too, or the two would keep each other
    // busy.
    WaitUnlessStopped(stop, PauseAfter(failures, options));
  }
  return absl::OkStatus();
}

}  // namespace podsim
