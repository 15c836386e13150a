// A transport that misbehaves on purpose, for tests of what stands above it.
//
//   FaultyTransport a(network.Join({0}), {.seed = 7, .flip = 0.01}, clock);
//   FaultyTransport b(network.Join({1}), {}, clock);
//
// Frames travel encoded: the sender's side copies header and payload into the
// wire format of frame.h, with checksums, and only then damages them; the
// receiver's side decodes and calls OnBadFrame, or passes them on with the
// payload's checksum. So all transports of a network must be wrapped (and `to`
// be one of them), and a flipped bit takes the very checks that it would take
// on a wire. Duplicates and gaps are passed on: noticing them is the business
// of whoever knows the keys.
//
// Delays run on the injected clock. With a SimClock nothing moves until the
// test moves it: poll with no wait, advance, poll again. The bound holds for
// held frames as well, on top of the inner transport's own.
#ifndef PODSIM_INTERCONNECT_TRANSPORT_FAULTS_FAULTY_H_
#define PODSIM_INTERCONNECT_TRANSPORT_FAULTS_FAULTY_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "interconnect/transport/credit.h"
#include "interconnect/transport/endpoint.h"
#include "interconnect/transport/faults/frame_faults.h"

namespace podsim {

class FaultyTransport final : public Transport {
 public:
  // `clock` must outlive this object.
  FaultyTransport(std::unique_ptr<Transport> inner, FrameFaults plan,
                  const Clock& clock);
  ~FaultyTransport() override;

  // Called for every frame that Send takes, with what it will suffer (cuts
  // apart).
  using Observer = std::function<void(const FrameHeader&, const FrameFault&)>;
  void SetObserver(Observer observer) { observer_ = std::move(observer); }

  // As a Cut of the plan, now. Call from the polling thread.
  void CutPeer(int peer, bool silent);

  const std::vector<int>& local_hosts() const override;
  void SetSink(int local_host, FrameSink* sink) override;
  absl::StatusOr<SendResult> Send(const FrameHeader& header,
                                  std::span<const std::byte> payload,
                                  std::uint64_t token) override;
  int Poll(absl::Duration max_wait) override;
  void Wake() override { inner_->Wake(); }

 private:
  class Tap;  // hears the inner transport for one local host

  // One frame of the caller, from Send until it needs the frame no more.
  struct Frame {
    FrameHeader header;
    std::vector<std::byte> encoded;
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
    std::uint64_t frames = 0;
  };

  void ApplyCuts();
  void PumpAll();
  void Pump(Line& line);
  // Whether the frame was handed on or is lost for good; false: try again.
  bool Forward(const std::shared_ptr<Frame>& frame);
  void FinishIfIdle(const Frame& frame);
  void Leave(Line& line);  // the first held frame leaves
  void TellLost(int host, int peer);
  absl::Duration UntilDue() const;
  int Deliver();

  std::unique_ptr<Transport> inner_;
  const FrameFaults plan_;
  const Clock& clock_;
  const absl::Time start_;
  Observer observer_;
  std::map<int, std::unique_ptr<Tap>> taps_;  // by local host
  std::map<Route, Line> lines_;
  std::set<int> cut_;                 // peers that nothing passes to or from
  std::map<int, absl::Status> lost_;  // peers whose loss was told, and why
  std::map<std::uint64_t, std::shared_ptr<Frame>> sent_;  // by inner token
  std::uint64_t next_token_ = 0;
  // Calls to sinks, made by the next Poll.
  std::deque<std::function<int()>> events_;
};

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TRANSPORT_FAULTS_FAULTY_H_
