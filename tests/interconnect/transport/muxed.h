// A kind of transport with a GroupMux over it, seen through one group.
#ifndef PODSIM_TESTS_INTERCONNECT_TRANSPORT_MUXED_H_
#define PODSIM_TESTS_INTERCONNECT_TRANSPORT_MUXED_H_

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "interconnect/transport/group_mux.h"
#include "tests/interconnect/transport/test_pod.h"

namespace podsim::testing {

class MuxedTransport final : public Transport {
 public:
  explicit MuxedTransport(std::unique_ptr<Transport> inner)
      : inner_(std::move(inner)), mux_(*inner_), view_(mux_.OfGroup(kGroup)) {}

  const std::vector<int>& local_hosts() const override {
    return view_.local_hosts();
  }
  void SetSink(int local_host, FrameSink* sink) override {
    view_.SetSink(local_host, sink);
  }
  void TakeBack(int local_host, std::uint32_t group) override {
    view_.TakeBack(local_host, group);
  }
  absl::StatusOr<SendResult> Send(const FrameHeader& header,
                                  std::span<const std::byte> payload,
                                  std::uint64_t token) override {
    return view_.Send(header, payload, token);
  }
  absl::StatusOr<SendResult> SendInPlace(const FrameHeader& header,
                                         std::size_t bytes, MakePayload make,
                                         std::uint64_t token) override {
    return view_.SendInPlace(header, bytes, make, token);
  }
  int Poll(absl::Duration max_wait) override { return view_.Poll(max_wait); }
  void Wake() override { view_.Wake(); }

 private:
  const std::unique_ptr<Transport> inner_;
  GroupMux mux_;
  Transport& view_;
};

inline TransportKind Muxed(const TransportKind& kind) {
  return {kind.name + "_muxed",
          [kind](const std::vector<std::vector<int>>& processes) {
            Transports transports = kind.make(processes);
            for (auto& transport : transports) {
              transport =
                  std::make_unique<MuxedTransport>(std::move(transport));
            }
            return transports;
          }};
}

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_INTERCONNECT_TRANSPORT_MUXED_H_
