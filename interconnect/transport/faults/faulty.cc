// Every frame passes through the line of its route, faulty or not, so that a
// delayed one keeps those behind it in order.
#include "interconnect/transport/faults/faulty.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/status.h"
#include "interconnect/transport/frame.h"

namespace podsim {
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

absl::Status CutStatus(int peer) {
  return absl::UnavailableError(
      absl::StrCat("host ", peer, " is cut off by the fault plan"));
}

}  // namespace

// Decodes what comes in, and keeps quiet about peers that are cut off.
class FaultyTransport::Tap final : public FrameSink {
 public:
  explicit Tap(FaultyTransport& owner) : owner_(owner) {}

  void OnFrame(const FrameHeader& header, Payload payload) override {
    if (sink == nullptr || owner_.cut_.contains(header.from)) return;
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
    --sent.mapped()->in_flight;
    owner_.FinishIfIdle(*sent.mapped());
  }

  // Lines are pumped by every Poll anyway.
  void OnCredit(int) override {}

  void OnPeerLost(int peer, const absl::Status& why) override {
    if (owner_.cut_.contains(peer)) return;
    owner_.lost_[peer] = why;
    if (sink != nullptr) sink->OnPeerLost(peer, why);
  }

  void OnBadFrame(int peer, const absl::Status& why) override {
    if (sink != nullptr) sink->OnBadFrame(peer, why);
  }

  FrameSink* sink = nullptr;

 private:
  FaultyTransport& owner_;
};

FaultyTransport::FaultyTransport(std::unique_ptr<Transport> inner,
                                 FrameFaults plan, const Clock& clock)
    : inner_(std::move(inner)),
      plan_(std::move(plan)),
      clock_(clock),
      start_(clock.Now()) {
  for (const int host : inner_->local_hosts()) {
    taps_[host] = std::make_unique<Tap>(*this);
    inner_->SetSink(host, taps_[host].get());
  }
}

FaultyTransport::~FaultyTransport() {
  for (const int host : local_hosts()) inner_->SetSink(host, nullptr);
  // Before the bytes that it borrows.
  inner_.reset();
}

const std::vector<int>& FaultyTransport::local_hosts() const {
  return inner_->local_hosts();
}

void FaultyTransport::SetSink(int local_host, FrameSink* sink) {
  taps_.at(local_host)->sink = sink;
  for (const auto& [peer, why] : lost_) TellLost(local_host, peer);
}

absl::StatusOr<SendResult> FaultyTransport::Send(
    const FrameHeader& header, std::span<const std::byte> payload,
    std::uint64_t token) {
  if (!taps_.contains(header.from)) {
    return absl::InvalidArgumentError(
        absl::StrCat("host ", header.from, " is not played by this process"));
  }
  if (const auto lost = lost_.find(header.to); lost != lost_.end()) {
    return absl::UnavailableError(lost->second.message());
  }
  Line& line = lines_.try_emplace(RouteOf(header), header.lane).first->second;
  if (!line.account.Take(ChargeOf(payload.size()))) {
    return SendResult::kNoCredit;
  }
  auto frame = std::make_shared<Frame>();
  frame->header = header;
  frame->header.checksum.reset();  // what travels is more than the payload
  frame->encoded = Encode(header, payload);
  frame->token = token;
  const FrameFault fault =
      DecideFault(plan_, RouteOf(header), line.frames++, frame->encoded.size());
  if (observer_) observer_(header, fault);
  if (fault.flip_bit) {
    frame->encoded[*fault.flip_bit / 8] ^= std::byte{1} << *fault.flip_bit % 8;
  }
  frame->copies = fault.drop ? 0 : fault.duplicate ? 2 : 1;
  Held held = {
      .frame = std::move(frame),
      .due = clock_.Now() + (fault.reorder ? plan_.max_delay : fault.delay),
      .overtakable = fault.reorder};
  const bool overtakes = !line.held.empty() && line.held.back().overtakable;
  if (overtakes) {
    line.held.back().due = clock_.Now();
    line.held.back().overtakable = false;
  }
  line.held.insert(line.held.end() - (overtakes ? 1 : 0), std::move(held));
  Pump(line);
  return SendResult::kQueued;
}

void FaultyTransport::Pump(Line& line) {
  while (!line.held.empty() && line.held.front().due <= clock_.Now()) {
    if (!Forward(line.held.front().frame)) return;
    Leave(line);
  }
}

bool FaultyTransport::Forward(const std::shared_ptr<Frame>& frame) {
  // A cut takes what is on its way, too.
  if (cut_.contains(frame->header.to)) frame->copies = 0;
  while (frame->copies > 0) {
    const auto sent = inner_->Send(frame->header, frame->encoded, next_token_);
    if (!sent.ok()) {
      PODSIM_CHECK(absl::IsUnavailable(sent.status()));
      frame->copies = 0;
      break;
    }
    if (*sent == SendResult::kNoCredit) return false;
    sent_[next_token_++] = frame;
    ++frame->in_flight;
    --frame->copies;
  }
  FinishIfIdle(*frame);
  return true;
}

void FaultyTransport::FinishIfIdle(const Frame& frame) {
  if (frame.copies > 0 || frame.in_flight > 0) return;
  events_.push_back([this, host = frame.header.from, token = frame.token] {
    FrameSink* sink = taps_.at(host)->sink;
    if (sink == nullptr) return 0;
    sink->OnSendDone(token);
    return 1;
  });
}

void FaultyTransport::Leave(Line& line) {
  const Frame& frame = *line.held.front().frame;
  line.account.Return(ChargeOf(frame.encoded.size() - kFrameHeaderBytes));
  if (line.account.Reopen()) {
    events_.push_back([this, header = frame.header] {
      FrameSink* sink = taps_.at(header.from)->sink;
      if (sink == nullptr) return 0;
      sink->OnCredit(header.to);
      return 1;
    });
  }
  line.held.pop_front();
}

void FaultyTransport::CutPeer(int peer, bool silent) {
  if (!cut_.insert(peer).second || silent || lost_.contains(peer)) return;
  lost_[peer] = CutStatus(peer);
  for (const int host : local_hosts()) {
    if (host != peer) TellLost(host, peer);
  }
}

void FaultyTransport::TellLost(int host, int peer) {
  events_.push_back([this, host, peer] {
    FrameSink* sink = taps_.at(host)->sink;
    if (sink == nullptr) return 0;
    sink->OnPeerLost(peer, lost_.at(peer));
    return 1;
  });
}

void FaultyTransport::ApplyCuts() {
  for (const FrameFaults::Cut& cut : plan_.cuts) {
    if (clock_.Now() >= start_ + cut.at) CutPeer(cut.peer, cut.silent);
  }
}

void FaultyTransport::PumpAll() {
  for (auto& [route, line] : lines_) Pump(line);
}

absl::Duration FaultyTransport::UntilDue() const {
  absl::Duration wait = absl::InfiniteDuration();
  for (const auto& [route, line] : lines_) {
    if (line.held.empty()) continue;
    const absl::Duration left = line.held.front().due - clock_.Now();
    // Due and still here: it waits for the inner transport, not for the clock.
    if (left > absl::ZeroDuration()) wait = std::min(wait, left);
  }
  for (const FrameFaults::Cut& cut : plan_.cuts) {
    const absl::Duration left = start_ + cut.at - clock_.Now();
    if (left > absl::ZeroDuration()) wait = std::min(wait, left);
  }
  return wait;
}

int FaultyTransport::Deliver() {
  int delivered = 0;
  for (std::size_t budget = events_.size(); budget > 0; --budget) {
    const auto event = std::move(events_.front());
    events_.pop_front();
    delivered += event();
  }
  return delivered;
}

int FaultyTransport::Poll(absl::Duration max_wait) {
  ApplyCuts();
  PumpAll();
  const int before = Deliver();
  const absl::Duration wait =
      before > 0 ? absl::ZeroDuration() : std::min(max_wait, UntilDue());
  const int inner = inner_->Poll(wait);
  PumpAll();
  return before + inner + Deliver();
}

}  // namespace podsim
