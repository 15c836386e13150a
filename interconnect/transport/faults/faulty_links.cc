// What is delayed waits here, borrowed; see faulty_links.h.
#include "interconnect/transport/faults/faulty_links.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "base/random.h"

namespace podsim {
namespace {

// Between two tries to send what is due and was refused for want of credit.
constexpr absl::Duration kRetry = absl::Milliseconds(1);

}  // namespace

FaultyLinks::FaultyLinks(Transport& inner, const Clock& clock,
                         std::uint64_t seed)
    : inner_(inner), clock_(clock), key_(RandomKey(seed, "flipped bits")) {}

FaultyLinks::~FaultyLinks() {
  // The inner transport may borrow a spoiled frame.
  for (const auto& [host, sink] : sinks_) inner_.SetSink(host, nullptr);
}

void FaultyLinks::Cut(int from, int to) {
  MutexLock lock(mutex_);
  links_[{from, to}].cut = true;
  armed_ = true;
}

void FaultyLinks::Delay(int from, int to, absl::Duration by) {
  MutexLock lock(mutex_);
  links_[{from, to}].delay = by;
  armed_ = true;
}

void FaultyLinks::FlipNext(int from, int to) {
  MutexLock lock(mutex_);
  ++links_[{from, to}].flips;
  armed_ = true;
}

FaultyLinks::Link FaultyLinks::LinkOf(const FrameHeader& header) const {
  MutexLock lock(mutex_);
  const auto link = links_.find({header.from, header.to});
  return link == links_.end() ? Link() : link->second;
}

void FaultyLinks::SetSink(int local_host, FrameSink* sink) {
  if (sink == nullptr) {
    std::erase_if(
        held_, [&](const auto& line) { return line.first.from == local_host; });
    std::erase_if(done_,
                  [&](const Done& done) { return done.host == local_host; });
  }
  sinks_[local_host] = sink;
  inner_.SetSink(local_host, sink);
}

absl::StatusOr<SendResult> FaultyLinks::Send(const FrameHeader& header,
                                             std::span<const std::byte> payload,
                                             std::uint64_t token) {
  if (!armed_) return inner_.Send(header, payload, token);
  const Link link = LinkOf(header);
  std::deque<Held>& line = held_[RouteOf(header)];
  // What is held keeps all that follows behind it.
  if (link.delay <= absl::ZeroDuration() && line.empty()) {
    return SendNow(link, header, payload, token);
  }
  line.push_back({.header = header,
                  .payload = payload,
                  .token = token,
                  .due = clock_.Now() + link.delay});
  return SendResult::kQueued;
}

absl::StatusOr<SendResult> FaultyLinks::SendNow(
    const Link& link, const FrameHeader& header,
    std::span<const std::byte> payload, std::uint64_t token) {
  if (link.cut) {
    done_.push_back({.host = header.from, .token = token});
    return SendResult::kQueued;
  }
  return link.flips > 0 && !payload.empty()
             ? SendFlipped(header, payload, token)
             : inner_.Send(header, payload, token);
}

absl::StatusOr<SendResult> FaultyLinks::SendFlipped(
    const FrameHeader& header, std::span<const std::byte> payload,
    std::uint64_t token) {
  FrameHeader claimed = header;
  if (!claimed.checksum) claimed.checksum = Crc32c(payload);
  std::vector<std::byte>& copy =
      spoiled_.emplace_back(payload.begin(), payload.end());
  const auto words = Philox(key_, spoiled_.size(), 0);
  const std::uint64_t bit =
      ((std::uint64_t{words[0]} << 32) | words[1]) % (copy.size() * 8);
  copy[bit / 8] ^= std::byte{1} << static_cast<int>(bit % 8);
  const absl::StatusOr<SendResult> sent = inner_.Send(claimed, copy, token);
  if (!sent.ok() || *sent == SendResult::kNoCredit) {
    spoiled_.pop_back();
    return sent;
  }
  MutexLock lock(mutex_);
  --links_[{header.from, header.to}].flips;
  return sent;
}

void FaultyLinks::Pump() {
  for (auto& [route, line] : held_) {
    while (!line.empty() && line.front().due <= clock_.Now()) {
      const Held& held = line.front();
      const absl::StatusOr<SendResult> sent =
          SendNow(LinkOf(held.header), held.header, held.payload, held.token);
      if (sent.ok() && *sent == SendResult::kNoCredit) break;
      // The peer is lost: that is news of its own, and the bytes are free.
      if (!sent.ok()) {
        done_.push_back({.host = route.from, .token = held.token});
      }
      line.pop_front();
    }
  }
}

absl::Duration FaultyLinks::UntilDue() const {
  absl::Duration wait = absl::InfiniteDuration();
  for (const auto& [route, line] : held_) {
    if (line.empty()) continue;
    wait = std::min(wait, std::max(kRetry, line.front().due - clock_.Now()));
  }
  return wait;
}

int FaultyLinks::Deliver() {
  int told = 0;
  // The sink may send from within the call.
  for (const Done& done : std::exchange(done_, {})) {
    FrameSink* sink = sinks_[done.host];
    if (sink == nullptr) continue;
    sink->OnSendDone(done.token);
    ++told;
  }
  return told;
}

int FaultyLinks::Poll(absl::Duration max_wait) {
  if (!armed_) return inner_.Poll(max_wait);
  Pump();
  const int before = Deliver();
  const absl::Duration wait =
      before > 0 ? absl::ZeroDuration() : std::min(max_wait, UntilDue());
  const int heard = inner_.Poll(wait);
  Pump();
  return before + heard + Deliver();
}

}  // namespace podsim
