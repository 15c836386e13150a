// What happened to a transport and has not been told to its sinks yet: a queue
// that other threads may fill, emptied by the thread that polls.
//
// Order: what frees something (sends done, credits) first, then express frames,
// then bulk frames and lost peers in the order in which they came, so that a
// peer's last frames are heard before its loss.
#ifndef PODSIM_INTERCONNECT_TRANSPORT_MAILBOX_H_
#define PODSIM_INTERCONNECT_TRANSPORT_MAILBOX_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <variant>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/mutex.h"
#include "interconnect/transport/credit.h"
#include "interconnect/transport/endpoint.h"
#include "interconnect/transport/frame_filter.h"

namespace podsim {

inline constexpr int kAllHosts = -1;

struct Arrival {
  FrameHeader header;
  Payload payload;
};
struct SendDone {
  int host = 0;  // the sender
  std::uint64_t token = 0;
};
struct CreditBack {
  Route route;
  std::int64_t charge = 0;
};
struct BadFrame {
  int host = kAllHosts;  // whom to tell
  int peer = 0;
  absl::Status why;
};
struct PeerLost {
  int host = kAllHosts;  // whom to tell
  int peer = 0;
  absl::Status why;
};
using Event = std::variant<Arrival, SendDone, CreditBack, BadFrame, PeerLost>;

// Thread-safe. Payloads are never destroyed under its lock, since that may fill
// another mailbox, or this one.
class Mailbox {
 public:
  // Dropped if the mailbox is closed.
  void Push(Event event);
  std::optional<Event> Pop();
  std::size_t size() const;

  // Returns when something is queued, on Wake, or after `max_wait`.
  void WaitFor(absl::Duration max_wait);
  void Wake();

  // Drops these frames.
  void DropArrivals(const FrameFilter& which);
  // Drops everything, and all that comes later.
  void Close();

 private:
  std::deque<Event>& QueueFor(const Event& event) PODSIM_REQUIRES(mutex_);
  std::size_t SizeLocked() const PODSIM_REQUIRES(mutex_);

  mutable Mutex mutex_;
  CondVar changed_;
  std::deque<Event> urgent_ PODSIM_GUARDED_BY(mutex_);
  std::deque<Event> express_ PODSIM_GUARDED_BY(mutex_);
  std::deque<Event> bulk_ PODSIM_GUARDED_BY(mutex_);
  bool woken_ PODSIM_GUARDED_BY(mutex_) = false;
  bool closed_ PODSIM_GUARDED_BY(mutex_) = false;
};

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TRANSPORT_MAILBOX_H_
