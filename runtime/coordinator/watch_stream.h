// One reader's call: writes event after event, one at a time, as fast as the
// reader takes them. What it has not taken yet waits in the feed's log, not
// here; a reader that lets the log pass it by is told so. So is one that takes
// nothing at all for kStalledReader, behind what is on its way already; if it
// takes not even that within kLastWords, it is hung up on and reads CANCELLED.
//
// It owns itself from Begin until gRPC's OnDone; the feed shares it meanwhile.
#ifndef PODSIM_RUNTIME_COORDINATOR_WATCH_STREAM_H_
#define PODSIM_RUNTIME_COORDINATOR_WATCH_STREAM_H_

#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "proto/watch.pb.h"
#include "runtime/coordinator/event_feed.h"

namespace podsim {

// A terminal that is stopped, a machine that is gone: its place among the
// readers is another's after this long.
inline constexpr absl::Duration kStalledReader = absl::Seconds(30);

inline constexpr absl::Duration kLastWords = absl::Seconds(5);

// Trailing metadata: the sequence number to ask for next (proto/watch.proto).
inline constexpr char kNextSequenceKey[] = "podsim-next-sequence";

class WatchStream final : public grpc::ServerWriteReactor<WatchedEvent>,
                          public EventReader,
                          public std::enable_shared_from_this<WatchStream> {
 public:
  // All of them must outlive the stream; `context` is the call's.
  WatchStream(EventFeed& feed, const Clock& clock,
              grpc::CallbackServerContext& context)
      : feed_(feed), clock_(clock), context_(context) {}

  // Once, before anything else. A request that cannot be met ends the call.
  void Begin(const WatchRequest& request);

  void OnMore() override;

 private:
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

  // Writes the next event, or ends the call, unless one is being written.
  void Advance();
  // What is to be done for a reader that takes nothing, at this moment.
  enum class Stall { kNone, kTold, kHungUp };
  Stall TakeStall() PODSIM_REQUIRES(mutex_);
  void HangUp();
  // Once, by whoever set ended_.
  void End(const absl::Status& status, std::uint64_t nearest);

  EventFeed& feed_;
  const Clock& clock_;
  grpc::CallbackServerContext& context_;
  std::shared_ptr<WatchStream> self_;
  WatchedEvent outgoing_;  // the thread's that set writing_
  Mutex mutex_;
  LogPlace place_ PODSIM_GUARDED_BY(mutex_);
  bool begun_ PODSIM_GUARDED_BY(mutex_) = false;
  bool writing_ PODSIM_GUARDED_BY(mutex_) = false;
  bool ended_ PODSIM_GUARDED_BY(mutex_) = false;
  bool hung_up_ PODSIM_GUARDED_BY(mutex_) = false;
  bool cancelled_ PODSIM_GUARDED_BY(mutex_) = false;
  absl::Time written_ PODSIM_GUARDED_BY(mutex_);  // when the last write began
  // context_ is gone once gRPC is done; nobody waits for another lock under it.
  Mutex context_mutex_;
  bool done_ PODSIM_GUARDED_BY(context_mutex_) = false;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_COORDINATOR_WATCH_STREAM_H_
