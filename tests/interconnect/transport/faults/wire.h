// A wire within a process: frames travel encoded, header and payload, in the
// format of frame.h with its checksums, so that a bit flipped on the way takes
// the very checks that it would take between machines.
//
//   WireTransport wire(links);   // over what spoils them
//
// All transports of a network must be wrapped (and `to` be one of them).
#ifndef PODSIM_TESTS_INTERCONNECT_TRANSPORT_FAULTS_WIRE_H_
#define PODSIM_TESTS_INTERCONNECT_TRANSPORT_FAULTS_WIRE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "interconnect/transport/endpoint.h"

namespace podsim::testing {

class WireTransport final : public Transport {
 public:
  // `inner` must outlive this object.
  explicit WireTransport(Transport& inner);
  ~WireTransport() override;

  // As if the process of `peer` had ended: local hosts (but `peer` itself, if
  // it is one) are told by the next Poll, and hear nothing more from it.
  void Lose(int peer);

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
  class Tap;  // decodes what comes in for one local host
  struct Sent {
    std::uint64_t token = 0;
    std::vector<std::byte> encoded;
  };

  Transport& inner_;
  std::map<int, std::unique_ptr<Tap>> taps_;
  std::map<std::uint64_t, Sent> sent_;  // by inner token
  std::uint64_t next_token_ = 0;
  std::set<int> lost_;
  std::vector<int> to_tell_;  // peers whose loss is to be told
};

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_INTERCONNECT_TRANSPORT_FAULTS_WIRE_H_
