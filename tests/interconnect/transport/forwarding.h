// A transport that passes everything on to another one, for tests that change
// one thing of it.
#ifndef PODSIM_TESTS_INTERCONNECT_TRANSPORT_FORWARDING_H_
#define PODSIM_TESTS_INTERCONNECT_TRANSPORT_FORWARDING_H_

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "interconnect/transport/endpoint.h"

namespace podsim::testing {

// As its inner transport, but that nothing is made in place.
class ForwardingTransport : public Transport {
 public:
  explicit ForwardingTransport(std::unique_ptr<Transport> inner)
      : inner_(std::move(inner)) {}

  const std::vector<int>& local_hosts() const override {
    return inner_->local_hosts();
  }
  void SetSink(int local_host, FrameSink* sink) override {
    inner_->SetSink(local_host, sink);
  }
  void Leave(int local_host, std::shared_ptr<const void> lent) override {
    inner_->Leave(local_host, std::move(lent));
  }
  absl::StatusOr<SendResult> Send(const FrameHeader& header,
                                  std::span<const std::byte> payload,
                                  std::uint64_t token) override {
    return inner_->Send(header, payload, token);
  }
  int Poll(absl::Duration max_wait) override { return inner_->Poll(max_wait); }
  void Wake() override { inner_->Wake(); }

 private:
  const std::unique_ptr<Transport> inner_;
};

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_INTERCONNECT_TRANSPORT_FORWARDING_H_
