// Every frame passes through the line of its route, whatever its fate, so that
// a delayed one keeps those behind it in order.
#include "interconnect/transport/faults/shaped_links.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "base/status.h"

namespace podsim {

class ShapedLinks::Tap final : public FrameSink {
 public:
  Tap(ShapedLinks& owner, FrameSink& sink) : owner_(owner), sink_(sink) {}

  FrameSink& sink() { return sink_; }

  void OnFrame(const FrameHeader& header, Payload payload) override {
    ++owner_.told_;
    sink_.OnFrame(header, std::move(payload));
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
    ++owner_.told_;
    sink_.OnPeerLost(peer, why);
  }
  void OnBadFrame(int peer, const absl::Status& why) override {
    ++owner_.told_;
    sink_.OnBadFrame(peer, why);
  }

 private:
  ShapedLinks& owner_;
  FrameSink& sink_;
};

ShapedLinks::ShapedLinks(Transport& inner, LinkShape& shape, const Clock& clock)
    : inner_(inner), shape_(shape), clock_(clock) {}

ShapedLinks::~ShapedLinks() {
  while (!taps_.empty()) Leave(taps_.begin()->first, nullptr);
}

void ShapedLinks::SetSink(int local_host, FrameSink* sink) {
  if (sink == nullptr) return Leave(local_host, nullptr);
  auto tap = std::make_unique<Tap>(*this, *sink);
  inner_.SetSink(local_host, tap.get());
  taps_[local_host] = std::move(tap);
}

void ShapedLinks::Leave(int local_host, std::shared_ptr<const void> lent) {
  // Receivers may still read a spoiled frame, too.
  struct Remains {
    std::shared_ptr<const void> lent;
    std::vector<std::shared_ptr<Frame>> frames;
  };
  auto remains = std::make_shared<Remains>(Remains{std::move(lent), {}});
  for (const auto& [token, frame] : sent_)
    if (frame->header.from == local_host) remains->frames.push_back(frame);
  inner_.Leave(local_host, std::move(remains));
  std::erase_if(sent_, [local_host](const auto& it) {
    return it.second->header.from == local_host;
  });
  std::erase_if(lines_, [local_host](const auto& line) {
    return line.first.from == local_host;
  });
  std::erase_if(news_, [local_host](const News& news) {
    return news.host == local_host;
  });
  taps_.erase(local_host);
}

absl::StatusOr<SendResult> ShapedLinks::Send(const FrameHeader& header,
                                             std::span<const std::byte> payload,
                                             std::uint64_t token) {
  Line& line = lines_.try_emplace(RouteOf(header), header.lane).first->second;
  if (!line.account.Take(ChargeOf(payload.size()))) {
    return SendResult::kNoCredit;
  }
  const absl::Time now = clock_.Now();
  const FrameFate fate = shape_.FateOf(header, payload.size(), now);
  auto frame = std::make_shared<Frame>(Frame{.header = header,
                                             .payload = payload,
                                             .spoiled = {},
                                             .token = token,
                                             .copies = fate.copies});
  if (fate.flip_bit) {
    const std::size_t bit = *fate.flip_bit;
    if (!header.checksum) frame->header.checksum = Crc32c(payload);
    frame->spoiled.assign(payload.begin(), payload.end());
    frame->spoiled[bit / 8] ^= std::byte{1} << static_cast<int>(bit % 8);
    frame->payload = frame->spoiled;
  }
  return Enter(line, {.frame = std::move(frame),
                      .due = now + fate.delay,
                      .overtakable = fate.overtakable});
}

absl::StatusOr<SendResult> ShapedLinks::Enter(Line& line, Held held) {
  if (line.held.empty() && held.due <= clock_.Now()) {
    const absl::StatusOr<SendResult> sent = Forward(held.frame);
    if (!sent.ok() || *sent == SendResult::kQueued) {
      Return(line, *held.frame);
      return sent;
    }
  }
  const bool overtakes = !line.held.empty() && line.held.back().overtakable;
  if (overtakes) {
    line.held.back().due = clock_.Now();
    line.held.back().overtakable = false;
  }
  line.held.insert(line.held.end() - (overtakes ? 1 : 0), std::move(held));
  Pump(line);
  return SendResult::kQueued;
}

void ShapedLinks::PumpAll() {
  for (auto& [route, line] : lines_) Pump(line);
}

void ShapedLinks::Pump(Line& line) {
  while (!line.held.empty() && line.held.front().due <= clock_.Now()) {
    const std::shared_ptr<Frame> frame = line.held.front().frame;
    const absl::StatusOr<SendResult> sent = Forward(frame);
    if (sent.ok() && *sent == SendResult::kNoCredit) return;
    if (!sent.ok()) {
      // The peer is lost: that is news of its own, and the bytes are free.
      PODSIM_CHECK(absl::IsUnavailable(sent.status()));
      FinishIfIdle(*frame);
    }
    Return(line, *frame);
    line.held.pop_front();
  }
}

absl::StatusOr<SendResult> ShapedLinks::Forward(
    const std::shared_ptr<Frame>& frame) {
  if (!shape_.Passes(frame->header)) frame->copies = 0;
  while (frame->copies > 0) {
    const auto sent = inner_.Send(frame->header, frame->payload, next_token_);
    if (!sent.ok()) frame->copies = 0;
    if (!sent.ok() || *sent == SendResult::kNoCredit) return sent;
    sent_[next_token_++] = frame;
    ++frame->in_flight;
    --frame->copies;
  }
  FinishIfIdle(*frame);
  return SendResult::kQueued;
}

void ShapedLinks::FinishIfIdle(const Frame& frame) {
  if (frame.copies > 0 || frame.in_flight > 0) return;
  news_.push_back({frame.header.from, [token = frame.token](FrameSink& sink) {
                     sink.OnSendDone(token);
                   }});
}

void ShapedLinks::Return(Line& line, const Frame& frame) {
  line.account.Return(ChargeOf(frame.payload.size()));
  if (!line.account.Reopen()) return;
  news_.push_back({frame.header.from, [to = frame.header.to](FrameSink& sink) {
                     sink.OnCredit(to);
                   }});
}

absl::Time ShapedLinks::NextDue() const {
  absl::Time next = absl::InfiniteFuture();
  const absl::Time now = clock_.Now();
  for (const auto& [route, line] : lines_) {
    if (line.held.empty()) continue;
    const absl::Time due = line.held.front().due;
    // Due and still here: it waits for the inner transport, not for the clock.
    if (due > now) next = std::min(next, due);
  }
  return next;
}

int ShapedLinks::Deliver() {
  int told = 0;
  // The sink may send, or change sinks, from within the call.
  for (std::size_t budget = news_.size(); budget > 0 && !news_.empty();
       --budget) {
    const News news = std::move(news_.front());
    news_.pop_front();
    const auto tap = taps_.find(news.host);
    if (tap == taps_.end()) continue;
    news.tell(tap->second->sink());
    ++told;
  }
  return told;
}

int ShapedLinks::Poll(absl::Duration max_wait) {
  const absl::Time until = clock_.Now() + max_wait;
  for (;;) {
    PumpAll();
    told_ = Deliver();
    const absl::Time next =
        told_ > 0 ? clock_.Now() : std::min(until, NextDue());
    const int heard =
        inner_.Poll(std::max(next - clock_.Now(), absl::ZeroDuration()));
    PumpAll();
    told_ += Deliver();
    // What only the lines took part in is news to nobody: go on. Nothing heard
    // before the time was up: somebody called Wake.
    const bool woken = heard == 0 && clock_.Now() < next;
    if (told_ > 0 || woken || clock_.Now() >= until) return told_;
  }
}

}  // namespace podsim
