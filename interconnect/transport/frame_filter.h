// Which frames, told from their headers: those of a host, say. What is taken
// back or dropped is named so.
#ifndef PODSIM_INTERCONNECT_TRANSPORT_FRAME_FILTER_H_
#define PODSIM_INTERCONNECT_TRANSPORT_FRAME_FILTER_H_

#include <functional>

#include "interconnect/transport/endpoint.h"

namespace podsim {

// May be called under a lock: looks at the header only.
using FrameFilter = std::function<bool(const FrameHeader&)>;

inline FrameFilter AllFrames() {
  return [](const FrameHeader&) { return true; };
}

inline FrameFilter FramesFrom(int host) {
  return [host](const FrameHeader& header) { return header.from == host; };
}

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TRANSPORT_FRAME_FILTER_H_
