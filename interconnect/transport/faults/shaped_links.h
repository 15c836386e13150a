// A transport whose lines are long, or bad: what a frame suffers on its line is
// decided by a LinkShape.
//
//   LinkFaults faults({.latency = absl::Milliseconds(2)});
//   ShapedLinks links(*transport, faults, clock);
//   faults.Cut(/*from=*/0, /*to=*/2);   // from any thread, at any time
//
// Frames suffer where they are sent, so only the sender's transport need be
// wrapped. A flipped bit must be noticed by the receiver's checksum, so it
// takes a transport that has one on the way.
//
// Delays run on the injected clock. With a SimClock nothing moves until the
// test moves it: poll with no wait, advance, poll again. The bound holds for
// held frames as well, on top of the inner transport's own.
#ifndef PODSIM_INTERCONNECT_TRANSPORT_FAULTS_SHAPED_LINKS_H_
#define PODSIM_INTERCONNECT_TRANSPORT_FAULTS_SHAPED_LINKS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "interconnect/transport/credit.h"
#include "interconnect/transport/endpoint.h"

namespace podsim {

// What one frame suffers.
struct FrameFate {
  // Held back for so long, and what follows on its route stays behind it.
  absl::Duration delay;
  // But the next frame of the route passes it, and then it goes at once.
  bool overtakable = false;
  int copies = 1;                       // that arrive; 0: it is lost
  std::optional<std::size_t> flip_bit;  // of the payload
};

// Which frames suffer what. Called by the polling thread.
class LinkShape {
 public:
  virtual ~LinkShape() = default;
  // A frame of `bytes` of payload is sent at `now`; called once per frame, in
  // the order of its route.
  virtual FrameFate FateOf(const FrameHeader& header, std::size_t bytes,
                           absl::Time now) = 0;
  // Whether a frame that leaves the line gets through; its sender is told that
  // it was sent in either case.
  virtual bool Passes(const FrameHeader& header) const = 0;
};

class ShapedLinks final : public Transport {
 public:
  // All three must outlive this object, which takes the place of the sinks of
  // `inner`.
  ShapedLinks(Transport& inner, LinkShape& shape, const Clock& clock);
  ~ShapedLinks() override;

  const std::vector<int>& local_hosts() const override {
    return inner_.local_hosts();
  }
  void SetSink(int local_host, FrameSink* sink) override;
  void Leave(int local_host, std::shared_ptr<const void> lent) override;
  absl::StatusOr<SendResult> Send(const FrameHeader& header,
                                  std::span<const std::byte> payload,
                                  std::uint64_t token) override;
  int Poll(absl::Duration max_wait) override;
  void Wake() override { inner_.Wake(); }

 private:
  class Tap;  // hears the inner transport for one local host

  // One frame of the caller, from Send until it needs the frame no more.
  struct Frame {
    FrameHeader header;
    std::span<const std::byte> payload;  // the caller's, or `spoiled`
    std::vector<std::byte> spoiled;
    std::uint64_t token = 0;
    int copies = 1;  // still to be sent
    int in_flight = 0;
  };
  struct Held {
    std::shared_ptr<Frame> frame;
    absl::Time due;
    bool overtakable = false;
  };
  struct Line {  // one route
    explicit Line(Lane lane) : account(lane) {}
    std::deque<Held> held;
    CreditAccount account;  // of what is held
  };
  struct News {
    int host = 0;
    std::function<void(FrameSink&)> tell;
  };

  void PumpAll();
  void Pump(Line& line);
  absl::StatusOr<SendResult> Enter(Line& line, Held held);
  // kQueued: handed on, or lost for good. Errors: those of the inner Send.
  absl::StatusOr<SendResult> Forward(const std::shared_ptr<Frame>& frame);
  void FinishIfIdle(const Frame& frame);
  // Gives back what the frame took from the line's bound.
  void Return(Line& line, const Frame& frame);
  absl::Time NextDue() const;
  int Deliver();

  Transport& inner_;
  LinkShape& shape_;
  const Clock& clock_;
  std::map<int, std::unique_ptr<Tap>> taps_;  // by local host with a sink
  std::map<Route, Line> lines_;
  std::map<std::uint64_t, std::shared_ptr<Frame>> sent_;  // by inner token
  std::uint64_t next_token_ = 0;
  std::deque<News> news_;  // for sinks, told by the next Poll
  int told_ = 0;           // calls that taps passed on at once
};

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TRANSPORT_FAULTS_SHAPED_LINKS_H_
