#include "interconnect/transport/faults/link_faults.h"

#include <algorithm>

#include "base/random.h"

namespace podsim {

LinkFaults::LinkFaults(Options options)
    : latency_(options.latency),
      key_(RandomKey(options.seed, "flipped bits")) {}

void LinkFaults::Cut(int from, int to) {
  MutexLock lock(mutex_);
  links_[{from, to}].cut = true;
}

void LinkFaults::Delay(int from, int to, absl::Duration by) {
  MutexLock lock(mutex_);
  links_[{from, to}].delay = by;
}

void LinkFaults::Slow(int host, int other, double rate) {
  MutexLock lock(mutex_);
  links_[{host, other}].rate = rate;
  links_[{other, host}].rate = rate;
}

void LinkFaults::FlipNext(int from, int to) {
  MutexLock lock(mutex_);
  ++links_[{from, to}].flips;
}

FrameFate LinkFaults::FateOf(const FrameHeader& header, std::size_t bytes,
                             absl::Time now) {
  MutexLock lock(mutex_);
  Link& link = links_[{header.from, header.to}];
  FrameFate fate = {.delay = link.delay};
  const absl::Duration busy = latency_ + HoldOf(bytes, link.rate);
  if (busy > absl::ZeroDuration()) {
    link.free_at = std::max(link.free_at, now) + busy;
    fate.delay += link.free_at - now;
  }
  if (link.flips > 0 && bytes > 0) {
    --link.flips;
    const auto words = Philox(key_, ++flipped_, 0);
    fate.flip_bit = ((std::uint64_t{words[0]} << 32) | words[1]) % (bytes * 8);
  }
  return fate;
}

bool LinkFaults::Passes(const FrameHeader& header) const {
  MutexLock lock(mutex_);
  const auto link = links_.find({header.from, header.to});
  return link == links_.end() || !link->second.cut;
}

}  // namespace podsim
