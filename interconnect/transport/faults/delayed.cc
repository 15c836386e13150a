#include "interconnect/transport/faults/delayed.h"

#include <algorithm>
#include <utility>

namespace podsim {

class DelayedTransport::Tap final : public FrameSink {
 public:
  Tap(DelayedTransport& owner, int host, FrameSink& sink)
      : owner_(owner), host_(host), sink_(sink) {}

  FrameSink& sink() { return sink_; }

  void OnFrame(const FrameHeader& header, Payload payload) override {
    // A function can be copied, a payload cannot.
    auto kept = std::make_shared<Payload>(std::move(payload));
    owner_.Hold(header.from, host_, [header, kept](FrameSink& sink) {
      sink.OnFrame(header, std::move(*kept));
    });
  }
  void OnPeerLost(int peer, const absl::Status& why) override {
    owner_.Hold(peer, host_,
                [peer, why](FrameSink& sink) { sink.OnPeerLost(peer, why); });
  }
  void OnBadFrame(int peer, const absl::Status& why) override {
    owner_.Hold(peer, host_,
                [peer, why](FrameSink& sink) { sink.OnBadFrame(peer, why); });
  }
  // What this host's own memory and credit do is not on the line.
  void OnSendDone(std::uint64_t token) override {
    ++owner_.told_;
    sink_.OnSendDone(token);
  }
  void OnCredit(int peer) override {
    ++owner_.told_;
    sink_.OnCredit(peer);
  }

 private:
  DelayedTransport& owner_;
  const int host_;
  FrameSink& sink_;
};

DelayedTransport::DelayedTransport(Transport& inner, absl::Duration latency,
                                   const Clock& clock)
    : inner_(inner), latency_(latency), clock_(clock) {}

DelayedTransport::~DelayedTransport() {
  for (const auto& [host, tap] : taps_) inner_.SetSink(host, nullptr);
}

void DelayedTransport::SetSink(int local_host, FrameSink* sink) {
  std::erase_if(held_, [local_host](const auto& held) {
    return held.second.host == local_host;
  });
  if (sink == nullptr) {
    inner_.SetSink(local_host, nullptr);
    taps_.erase(local_host);
    return;
  }
  auto tap = std::make_unique<Tap>(*this, local_host, *sink);
  inner_.SetSink(local_host, tap.get());
  taps_[local_host] = std::move(tap);
}

void DelayedTransport::Hold(int peer, int host,
                            std::function<void(FrameSink&)> tell) {
  absl::Time& free_at = free_at_[{peer, host}];
  free_at = std::max(free_at, clock_.Now()) + latency_;
  held_.emplace(free_at, Held{host, std::move(tell)});
}

int DelayedTransport::Poll(absl::Duration max_wait) {
  const absl::Time until = clock_.Now() + max_wait;
  for (;;) {
    const absl::Time now = clock_.Now();
    const absl::Time next =
        held_.empty() ? until : std::min(until, held_.begin()->first);
    told_ = 0;
    const int heard = inner_.Poll(std::max(next - now, absl::ZeroDuration()));
    const int told = told_ + Deliver();
    // Frames that are only held now are news to nobody: go on. Nothing heard
    // before the time was up: somebody called Wake.
    const bool woken = heard == 0 && clock_.Now() < next;
    if (told > 0 || woken || clock_.Now() >= until) return told;
  }
}

int DelayedTransport::Deliver() {
  int told = 0;
  while (!held_.empty() && held_.begin()->first <= clock_.Now()) {
    // The sink may send, or change sinks, from within the call.
    const Held held = std::move(held_.extract(held_.begin()).mapped());
    const auto tap = taps_.find(held.host);
    if (tap == taps_.end()) continue;
    held.tell(tap->second->sink());
    ++told;
  }
  return told;
}

}  // namespace podsim
