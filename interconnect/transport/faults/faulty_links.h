// A transport whose lines to some hosts go wrong when they are told to: they
// are cut, they take longer, or they flip a bit.
//
//   FaultyLinks links(*transport, clock, seed);
//   links.Cut(/*from=*/0, /*to=*/2);   // from any thread, at any time
//
// Frames are spoiled where they are sent, as they are: there is no encoding of
// its own as in FaultyTransport, so it stands over any transport, and only over
// that of the sender. A flipped bit must be noticed by the receiver's checksum,
// so it takes a transport that has one on the way.
#ifndef PODSIM_INTERCONNECT_TRANSPORT_FAULTS_FAULTY_LINKS_H_
#define PODSIM_INTERCONNECT_TRANSPORT_FAULTS_FAULTY_LINKS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "interconnect/transport/credit.h"
#include "interconnect/transport/endpoint.h"

namespace podsim {

// As its inner transport; Cut, Delay and FlipNext are thread-safe.
class FaultyLinks final : public Transport {
 public:
  // `inner` and `clock` must outlive this object. `seed` says which bits flip.
  FaultyLinks(Transport& inner, const Clock& clock, std::uint64_t seed);
  ~FaultyLinks() override;

  // Nothing passes any more; the sender is told that it did.
  void Cut(int from, int to);
  // Frames take `by` longer from now on; zero: no longer.
  void Delay(int from, int to, absl::Duration by);
  // One bit of the next frame that is not empty.
  void FlipNext(int from, int to);

  const std::vector<int>& local_hosts() const override {
    return inner_.local_hosts();
  }
  void SetSink(int local_host, FrameSink* sink) override;
  absl::StatusOr<SendResult> Send(const FrameHeader& header,
                                  std::span<const std::byte> payload,
                                  std::uint64_t token) override;
  int Poll(absl::Duration max_wait) override;
  void Wake() override { inner_.Wake(); }

 private:
  struct Link {
    bool cut = false;
    absl::Duration delay;
    int flips = 0;  // frames still to spoil
  };
  struct Held {
    FrameHeader header;
    std::span<const std::byte> payload;
    std::uint64_t token = 0;
    absl::Time due;
  };
  struct Done {
    int host = 0;
    std::uint64_t token = 0;
  };

  Link LinkOf(const FrameHeader& header) const;
  absl::StatusOr<SendResult> SendFlipped(const FrameHeader& header,
                                         std::span<const std::byte> payload,
                                         std::uint64_t token);
  // Past the delay: to the inner transport, or nowhere.
  absl::StatusOr<SendResult> SendNow(const Link& link,
                                     const FrameHeader& header,
                                     std::span<const std::byte> payload,
                                     std::uint64_t token);
  void Pump();
  absl::Duration UntilDue() const;
  int Deliver();

  Transport& inner_;
  const Clock& clock_;
  const std::uint64_t key_;
  std::atomic<bool> armed_{false};  // there is a link that was ever changed

  mutable Mutex mutex_;
  std::map<std::pair<int, int>, Link> links_ PODSIM_GUARDED_BY(mutex_);

  // The polling thread's.
  std::map<int, FrameSink*> sinks_;
  std::map<Route, std::deque<Held>> held_;
  std::vector<Done> done_;  // to be told
  // Spoiled copies, which stay: a frame each.
  std::deque<std::vector<std::byte>> spoiled_;
};

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TRANSPORT_FAULTS_FAULTY_LINKS_H_
