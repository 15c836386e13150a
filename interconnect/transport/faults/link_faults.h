// What a job wants of its lines: that all take a latency, that some are slow,
// and that some go wrong when they are told to.
#ifndef PODSIM_INTERCONNECT_TRANSPORT_FAULTS_LINK_FAULTS_H_
#define PODSIM_INTERCONNECT_TRANSPORT_FAULTS_LINK_FAULTS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "absl/time/time.h"
#include "base/mutex.h"
#include "interconnect/transport/faults/hold.h"
#include "interconnect/transport/faults/shaped_links.h"

namespace podsim {

// Thread-safe.
class LinkFaults final : public LinkShape {
 public:
  struct Options {
    // From each host to each other one every frame takes this long, one frame
    // after the other.
    absl::Duration latency;
    std::uint64_t seed = 0;  // says which bits flip
  };
  explicit LinkFaults(Options options);

  // Nothing passes any more; the sender is told that it did.
  void Cut(int from, int to);
  // Frames take `by` longer from now on; zero: no longer.
  void Delay(int from, int to, absl::Duration by);
  // From now on frames between the two hosts, either way, are held for HoldOf
  // their bytes, in each direction one after the other. REQUIRES: as of HoldOf.
  void Slow(int host, int other, double rate);
  // One bit of the next frame that is not empty.
  void FlipNext(int from, int to);

  FrameFate FateOf(const FrameHeader& header, std::size_t bytes,
                   absl::Time now) override;
  bool Passes(const FrameHeader& header) const override;

 private:
  struct Link {
    bool cut = false;
    absl::Duration delay;
    double rate = 1;
    int flips = 0;  // frames still to spoil
    absl::Time free_at = absl::InfinitePast();
  };

  const absl::Duration latency_;
  const std::uint64_t key_;
  mutable Mutex mutex_;
  std::map<std::pair<int, int>, Link> links_ PODSIM_GUARDED_BY(mutex_);
  std::uint64_t flipped_ PODSIM_GUARDED_BY(mutex_) = 0;
};

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TRANSPORT_FAULTS_LINK_FAULTS_H_
