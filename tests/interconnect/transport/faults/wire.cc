#include "tests/interconnect/transport/faults/wire.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/status.h"
#include "interconnect/transport/frame.h"

namespace podsim::testing {
namespace {

std::vector<std::byte> Encode(const FrameHeader& header,
                              std::span<const std::byte> payload) {
  const HeaderBytes head = EncodeHeader({.frame = header,
                                         .bytes = payload.size(),
                                         .payload_crc = Crc32c(payload)});
  std::vector<std::byte> encoded(head.begin(), head.end());
  encoded.insert(encoded.end(), payload.begin(), payload.end());
  return encoded;
}

absl::Status LostStatus(int peer) {
  return absl::UnavailableError(absl::StrCat("host ", peer, " is cut off"));
}

}  // namespace

class WireTransport::Tap final : public FrameSink {
 public:
  explicit Tap(WireTransport& owner) : owner_(owner) {}

  void OnFrame(const FrameHeader& header, Payload payload) override {
    if (sink == nullptr || owner_.lost_.contains(header.from)) return;
    Payload::Parts parts = payload.parts();
    const absl::StatusOr<WireHeader> decoded = TakeHeader(parts);
    absl::Status status = decoded.status();
    if (status.ok()) status = VerifyLength(*decoded, parts);
    if (!status.ok()) return sink->OnBadFrame(header.from, status);
    auto whole = std::make_shared<Payload>(std::move(payload));
    sink->OnFrame(decoded->frame,
                  Payload(
                      std::move(parts), [whole]() mutable { whole.reset(); },
                      decoded->payload_crc));
  }
  void OnSendDone(std::uint64_t token) override {
    const auto sent = owner_.sent_.extract(token);
    PODSIM_CHECK(!sent.empty());
    if (sink != nullptr) sink->OnSendDone(sent.mapped().token);
  }
  void OnCredit(int peer) override {
    if (sink != nullptr) sink->OnCredit(peer);
  }
  void OnPeerLost(int peer, const absl::Status& why) override {
    if (sink != nullptr) sink->OnPeerLost(peer, why);
  }
  void OnBadFrame(int peer, const absl::Status& why) override {
    if (sink != nullptr) sink->OnBadFrame(peer, why);
  }

  FrameSink* sink = nullptr;

 private:
  WireTransport& owner_;
};

WireTransport::WireTransport(Transport& inner) : inner_(inner) {
  for (const int host : inner_.local_hosts()) {
    taps_[host] = std::make_unique<Tap>(*this);
    inner_.SetSink(host, taps_[host].get());
  }
}

WireTransport::~WireTransport() {
  for (const int host : local_hosts()) inner_.SetSink(host, nullptr);
}

void WireTransport::SetSink(int local_host, FrameSink* sink) {
  taps_.at(local_host)->sink = sink;
}

void WireTransport::Lose(int peer) {
  if (lost_.insert(peer).second) to_tell_.push_back(peer);
}

absl::StatusOr<SendResult> WireTransport::Send(
    const FrameHeader& header, std::span<const std::byte> payload,
    std::uint64_t token) {
  if (lost_.contains(header.to)) return LostStatus(header.to);
  FrameHeader outer = header;
  outer.checksum.reset();  // what travels is more than the payload
  Sent& sent = sent_[next_token_];
  sent = {.token = token, .encoded = Encode(header, payload)};
  const auto result = inner_.Send(outer, sent.encoded, next_token_);
  if (result.ok() && *result == SendResult::kQueued) {
    ++next_token_;
  } else {
    sent_.erase(next_token_);
  }
  return result;
}

int WireTransport::Poll(absl::Duration max_wait) {
  int told = 0;
  for (const int peer : std::exchange(to_tell_, {})) {
    for (const auto& [host, tap] : taps_) {
      if (host == peer || tap->sink == nullptr) continue;
      tap->sink->OnPeerLost(peer, LostStatus(peer));
      ++told;
    }
  }
  return told + inner_.Poll(told > 0 ? absl::ZeroDuration() : max_wait);
}

}  // namespace podsim::testing
