#include "interconnect/transport/shared/shared_lane.h"

#include <span>

namespace podsim {
namespace {

static_assert(kSharedFrameBytes % kRingLine == 0);
static_assert(kSharedCreditBytes % kRingLine == 0);

std::span<std::byte> CreditsOf(const SharedMemory& memory) {
  return memory.bytes().first(RingMemoryBytes(kSharedCreditBytes));
}
std::span<std::byte> FramesOf(const SharedMemory& memory) {
  return memory.bytes().subspan(RingMemoryBytes(kSharedCreditBytes));
}

}  // namespace

SharedLane::SharedLane(SharedMemory memory, End end)
    : memory_(std::move(memory)),
      out_(end == End::kOpener ? FramesOf(memory_) : CreditsOf(memory_)),
      in_(end == End::kOpener ? CreditsOf(memory_) : FramesOf(memory_)) {}

}  // namespace podsim
