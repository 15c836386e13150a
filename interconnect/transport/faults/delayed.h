// A transport over slow lines: from each host to each other one every frame
// takes `latency`, one frame after the other.
//
//   DelayedTransport far(std::move(transport), absl::Milliseconds(5), clock);
//
// A frame is held where it arrives, with its credit. What follows on a line
// (bad frames, the loss of a peer) stays behind it.
#ifndef PODSIM_INTERCONNECT_TRANSPORT_FAULTS_DELAYED_H_
#define PODSIM_INTERCONNECT_TRANSPORT_FAULTS_DELAYED_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "interconnect/transport/endpoint.h"

namespace podsim {

// As its inner transport, but for Poll's count: what is told to sinks now.
class DelayedTransport final : public Transport {
 public:
  // `inner` and `clock` must outlive this object.
  DelayedTransport(Transport& inner, absl::Duration latency,
                   const Clock& clock);
  ~DelayedTransport() override;

  const std::vector<int>& local_hosts() const override {
    return inner_.local_hosts();
  }
  void SetSink(int local_host, FrameSink* sink) override;
  absl::StatusOr<SendResult> Send(const FrameHeader& header,
                                  std::span<const std::byte> payload,
                                  std::uint64_t token) override {
    return inner_.Send(header, payload, token);
  }
  absl::StatusOr<SendResult> SendInPlace(const FrameHeader& header,
                                         std::size_t bytes, MakePayload make,
                                         std::uint64_t token) override {
    return inner_.SendInPlace(header, bytes, make, token);
  }
  int Poll(absl::Duration max_wait) override;
  void Wake() override { inner_.Wake(); }

 private:
  class Tap;  // hears the inner transport for one local host
  struct Held {
    int host = 0;
    std::function<void(FrameSink&)> tell;
  };

  // What came on the line from `peer` to `host`.
  void Hold(int peer, int host, std::function<void(FrameSink&)> tell);
  int Deliver();

  Transport& inner_;
  const absl::Duration latency_;
  const Clock& clock_;
  std::map<int, std::unique_ptr<Tap>> taps_;           // by local host
  std::map<std::pair<int, int>, absl::Time> free_at_;  // by peer and host
  // By when it is due; equals in the order of arrival.
  std::multimap<absl::Time, Held> held_;
  int told_ = 0;  // calls that taps passed on at once
};

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TRANSPORT_FAULTS_DELAYED_H_
