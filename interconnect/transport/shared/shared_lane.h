// The shared memory beside a stream between two processes of one machine:
// frames go one way, credits the other. The process that opens the stream makes
// it, the acceptor maps it; both then put and take without the kernel.
#ifndef PODSIM_INTERCONNECT_TRANSPORT_SHARED_SHARED_LANE_H_
#define PODSIM_INTERCONNECT_TRANSPORT_SHARED_SHARED_LANE_H_

#include <cstddef>
#include <utility>

#include "absl/status/statusor.h"
#include "interconnect/transport/shared/shared_memory.h"
#include "interconnect/transport/shared/shared_ring.h"

namespace podsim {

// Room for all that one host may have in flight to another, and for the heads
// of as many frames as are likely then. Room comes back in order: a payload
// that is kept for long keeps what lies behind it. Frames that find no room go
// over the stream.
inline constexpr std::size_t kSharedFrameBytes = kMaxBytesInFlight + (64 << 10);
inline constexpr std::size_t kSharedCreditBytes = 16 << 10;
// In memory: the ring for credits, then the one for frames, of which all but
// the control block waits for SharedMemory::Fill.
inline constexpr std::size_t kSharedReadyBytes =
    kSharedCreditBytes + 2 * sizeof(RingControl);
inline constexpr std::size_t kSharedLaneBytes =
    kSharedReadyBytes + kSharedFrameBytes;

// One end. Not movable: the rings point into it. The opener calls Fill before
// it puts the first frame; the acceptor puts no credit before a frame came.
class SharedLane {
 public:
  enum class End { kOpener, kAcceptor };
  SharedLane(SharedMemory memory, End end);
  SharedLane(const SharedLane&) = delete;
  SharedLane& operator=(const SharedLane&) = delete;

  SharedMemory& memory() { return memory_; }
  RingWriter& out() { return out_; }  // the opener's frames, or credits
  RingReader& in() { return in_; }

 private:
  SharedMemory memory_;
  RingWriter out_;
  RingReader in_;
};

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TRANSPORT_SHARED_SHARED_LANE_H_
