// Which frames suffer what: a pure function of a seed and a frame's number on
// its route, so a run with one seed can be had again; and the shape of links
// that does it to them.
//
//   RandomFaults faults({.seed = 7, .flip = 0.01}, clock);
//   ShapedLinks links(*transport, faults, clock);
#ifndef PODSIM_TESTS_INTERCONNECT_TRANSPORT_FAULTS_FRAME_FAULTS_H_
#define PODSIM_TESTS_INTERCONNECT_TRANSPORT_FAULTS_FRAME_FAULTS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "absl/time/time.h"
#include "base/clock.h"
#include "interconnect/transport/credit.h"
#include "interconnect/transport/faults/shaped_links.h"

namespace podsim::testing {

// Chances are per frame, 0 to 1, each drawn on its own.
struct FrameFaults {
  std::uint64_t seed = 0;
  double drop = 0;       // never arrives
  double duplicate = 0;  // arrives twice
  double flip = 0;       // arrives with one bit flipped, anywhere
  double reorder = 0;    // the next frame of the route overtakes it
  double delay = 0;      // held back, and the frames behind it
  // Delays are uniform up to this; a reordered frame that nothing follows
  // waits this long.
  absl::Duration max_delay = absl::Milliseconds(20);

  // From `at` on (counted from the start), nothing passes to or from `peer`.
  // Silent: nobody is told, as when a cable is cut.
  struct Cut {
    int peer = 0;
    absl::Duration at;
    bool silent = false;
  };
  std::vector<Cut> cuts;
};

// What one frame suffers.
struct FrameFault {
  bool drop = false;
  bool duplicate = false;
  bool reorder = false;
  std::optional<std::size_t> flip_bit;
  absl::Duration delay;
};

// The fate of frame `number` of `route` (0 for the first), `bytes` long.
// REQUIRES: bytes > 0, or no flips.
FrameFault DecideFault(const FrameFaults& plan, const Route& route,
                       std::uint64_t number, std::size_t bytes);

// Serves any number of ShapedLinks on one thread. Cuts are told to nobody here.
class RandomFaults final : public LinkShape {
 public:
  // `clock` must outlive this object.
  RandomFaults(FrameFaults plan, const Clock& clock);

  // Called for every frame that is sent, with what it will suffer (cuts apart).
  using Observer = std::function<void(const FrameHeader&, const FrameFault&)>;
  void SetObserver(Observer observer) { observer_ = std::move(observer); }
  // As a Cut of the plan, now.
  void CutOff(int host) { cut_off_.insert(host); }
  // The plan's cuts that are in force.
  std::vector<FrameFaults::Cut> CutsInForce() const;

  FrameFate FateOf(const FrameHeader& header, std::size_t bytes,
                   absl::Time now) override;
  bool Passes(const FrameHeader& header) const override;

 private:
  const FrameFaults plan_;
  const Clock& clock_;
  const absl::Time start_;
  Observer observer_;
  std::map<Route, std::uint64_t> frames_;
  std::set<int> cut_off_;
};

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_INTERCONNECT_TRANSPORT_FAULTS_FRAME_FAULTS_H_
