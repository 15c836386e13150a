// Which frames suffer what: a pure function of a seed and a frame's number on
// its route, so a run with one seed can be had again.
#ifndef PODSIM_INTERCONNECT_TRANSPORT_FAULTS_FRAME_FAULTS_H_
#define PODSIM_INTERCONNECT_TRANSPORT_FAULTS_FRAME_FAULTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "interconnect/transport/credit.h"

namespace podsim {

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
  std::optional<std::size_t> flip_bit;  // of the encoded frame
  absl::Duration delay;
};

// The fate of frame `number` of `route` (0 for the first), `bytes` long with
// its header. REQUIRES: bytes > 0.
FrameFault DecideFault(const FrameFaults& plan, const Route& route,
                       std::uint64_t number, std::size_t bytes);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TRANSPORT_FAULTS_FRAME_FAULTS_H_
