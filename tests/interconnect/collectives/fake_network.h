// A network for tests: one thread, all hosts local, frames of different pairs
// in an order drawn from a seed, as unkind as the Transport contract allows.
//
// Payloads come unaligned and in pieces, and are overwritten when released.
// A send in place finds none at times, or one in two parts, by the seed too.
// Other sends are zero-copy: that the sender left its bytes alone until
// OnSendDone (which comes late, or early, also by the seed) is checked.
#ifndef PODSIM_TESTS_INTERCONNECT_COLLECTIVES_FAKE_NETWORK_H_
#define PODSIM_TESTS_INTERCONNECT_COLLECTIVES_FAKE_NETWORK_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "interconnect/transport/endpoint.h"

namespace podsim::testing {

class FakeNetwork final : public Transport {
 public:
  FakeNetwork(int hosts, std::int64_t bytes_in_flight, std::uint32_t seed);

  const std::vector<int>& local_hosts() const override { return hosts_; }
  void SetSink(int host, FrameSink* sink) override { sinks_[host] = sink; }
  absl::StatusOr<SendResult> Send(const FrameHeader& header,
                                  std::span<const std::byte> payload,
                                  std::uint64_t token) override;
  absl::StatusOr<SendResult> SendInPlace(const FrameHeader& header,
                                         std::size_t bytes, MakePayload make,
                                         std::uint64_t token) override;
  // Delivers one event, picked at random; 0: nothing is left to happen.
  int Poll(absl::Duration max_wait) override;
  void Wake() override {}

  // Polls until nothing is left to happen.
  void Run() {
    while (Poll(absl::ZeroDuration()) > 0) {
    }
  }
  // A frame out of nowhere, delivered at once; `damage` is what its checksum is
  // off by.
  void Inject(const FrameHeader& header, std::vector<float> values,
              std::uint32_t damage = 0);
  // Sends between the two fail from here on; queued frames never arrive.
  void Cut(int from, int to) { cut_.insert({from, to}); }

  // Bytes sent and not yet released by the receiver.
  std::int64_t in_flight(int from, int to) const;
  std::int64_t most_in_flight() const { return most_in_flight_; }
  // Sends whose bytes changed before they were done.
  int overwritten() const { return overwritten_; }
  int frames() const { return frames_; }
  // Frames that were made in place.
  int placed() const { return placed_; }

 private:
  using Pair = std::pair<int, int>;
  struct Frame {
    FrameHeader header;
    std::span<const std::byte> source;  // none: made in place
    std::vector<std::byte> at_send;
    std::uint64_t token = 0;
    bool done_early = false;
  };
  using FramePtr = std::shared_ptr<Frame>;
  enum class EventKind { kDeliver, kSendDone, kCredit };
  struct Event {
    EventKind kind = EventKind::kDeliver;
    Pair pair;
    FramePtr frame;
  };

  // Whether a frame may go; the pair is noted as refused if not.
  absl::StatusOr<SendResult> Admit(const Pair& pair, Lane lane,
                                   std::size_t bytes);
  void Queue(Frame queued);
  // Half of them have a checksum to compare; those with `damage` a wrong one.
  Payload PayloadOf(std::vector<std::byte> bytes,
                    std::function<void()> on_release, std::uint32_t damage = 0);
  void Deliver(const Pair& pair);
  void OnRelease(const FramePtr& frame);
  void EndSend(const Frame& frame);

  const std::int64_t bound_;
  std::mt19937 random_;
  std::vector<int> hosts_;
  std::vector<FrameSink*> sinks_;
  std::map<Pair, std::deque<FramePtr>> queues_;
  std::map<std::pair<Pair, Lane>, std::int64_t> in_flight_;
  std::set<Pair> refused_;
  std::set<Pair> cut_;
  std::vector<Event> events_;
  std::int64_t most_in_flight_ = 0;
  int overwritten_ = 0;
  int frames_ = 0;
  int placed_ = 0;
};

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_INTERCONNECT_COLLECTIVES_FAKE_NETWORK_H_
