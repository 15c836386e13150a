// A pod of transports and what their sinks have heard, for tests.
#ifndef PODSIM_TESTS_INTERCONNECT_TRANSPORT_TEST_POD_H_
#define PODSIM_TESTS_INTERCONNECT_TRANSPORT_TEST_POD_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "interconnect/transport/endpoint.h"

namespace podsim::testing {

// The generation of all pods in these tests.
inline constexpr std::uint32_t kGeneration = 3;
// The group of all frames that TestPod sends.
inline constexpr std::uint32_t kGroup = 5;

// `size` bytes that depend on `seed` and differ at every alignment.
std::vector<std::byte> Pattern(std::uint64_t seed, std::size_t size);

// Copies what it hears; keeps payloads too while `keep` is set.
struct RecordingSink final : FrameSink {
  struct Received {
    FrameHeader header;
    std::vector<std::byte> bytes;
  };

  void OnFrame(const FrameHeader& header, Payload payload) override;
  void OnSendDone(std::uint64_t token) override;
  void OnCredit(int peer) override;
  void OnPeerLost(int peer, const absl::Status& why) override {
    lost.emplace_back(peer, why);
  }
  void OnBadFrame(int peer, const absl::Status& why) override {
    bad.emplace_back(peer, why);
  }

  std::vector<Received> frames;
  bool keep = false;
  std::vector<Payload> kept;
  std::vector<std::uint64_t> done;
  std::vector<int> credits;
  std::vector<std::pair<int, absl::Status>> lost;
  std::vector<std::pair<int, absl::Status>> bad;
  // Called first, if set.
  std::function<void(std::uint64_t)> on_done;
  std::function<void(int)> on_credit;
};

using Transports = std::vector<std::unique_ptr<Transport>>;

// How to make a pod: one transport per list of hosts, connected.
struct TransportKind {
  std::string name;
  std::function<Transports(const std::vector<std::vector<int>>&)> make;
};

// Transports polled in turn on one thread.
class TestPod {
 public:
  TestPod(const TransportKind& kind,
          const std::vector<std::vector<int>>& processes);
  explicit TestPod(Transports transports);
  // Transports say goodbye to each other, so they go at the same time.
  ~TestPod();

  // A pattern that lives longer than the transports: bytes of a frame must, if
  // its OnSendDone is not awaited.
  const std::vector<std::byte>& Bytes(std::uint64_t seed, std::size_t size) {
    return bytes_.emplace_back(Pattern(seed, size));
  }

  Transport& of(int host) { return *transports_.at(process_of_.at(host)); }
  RecordingSink& sink(int host) { return *sinks_.at(host); }
  // Destroys the transport that plays `host`, while the others are polled.
  void Destroy(int host);

  absl::StatusOr<SendResult> Send(int from, int to,
                                  std::span<const std::byte> bytes,
                                  std::uint64_t token, Lane lane = Lane::kBulk);
  // Makes a copy of `bytes` in place.
  absl::StatusOr<SendResult> SendInPlace(int from, int to,
                                         std::span<const std::byte> bytes,
                                         std::uint64_t token);
  // Sends; on kNoCredit polls until OnCredit, then tries again.
  void SendPatiently(int from, int to, std::span<const std::byte> bytes,
                     std::uint64_t token, Lane lane = Lane::kBulk);

  int PollOnce(absl::Duration wait = absl::ZeroDuration());
  // Polls until `happened`; a test failure after 20 s.
  void PollUntil(const std::function<bool()>& happened);
  // Polls until nothing has happened for some rounds.
  void Settle();

 private:
  std::deque<std::vector<std::byte>> bytes_;  // before what borrows them
  Transports transports_;
  std::map<int, std::size_t> process_of_;
  std::map<int, std::unique_ptr<RecordingSink>> sinks_;
};

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_INTERCONNECT_TRANSPORT_TEST_POD_H_
