// Every draw has a counter of its own, so that changing one chance leaves the
// other faults of a seed where they were.
#include "interconnect/transport/faults/frame_faults.h"

#include "absl/strings/str_cat.h"
#include "base/random.h"

namespace podsim {
namespace {

enum Draw : std::uint64_t {
  kDrop,
  kDuplicate,
  kFlip,
  kFlipBit,
  kReorder,
  kDelay,
  kDelayLength,
  kDraws
};

}  // namespace

FrameFault DecideFault(const FrameFaults& plan, const Route& route,
                       std::uint64_t number, std::size_t bytes) {
  const std::uint64_t key =
      RandomKey(plan.seed, absl::StrCat("fault/", route.from, "/", route.to,
                                        "/", static_cast<int>(route.lane)));
  const auto draw = [key, number](Draw what) {
    return static_cast<double>(UniformFloat(key, number * kDraws + what));
  };
  FrameFault fault;
  fault.drop = draw(kDrop) < plan.drop;
  fault.duplicate = draw(kDuplicate) < plan.duplicate;
  fault.reorder = draw(kReorder) < plan.reorder;
  if (draw(kFlip) < plan.flip) {
    const std::size_t bits = bytes * 8;
    // A float has 24 bits: of longer frames not every bit can be hit.
    fault.flip_bit =
        static_cast<std::size_t>(draw(kFlipBit) * static_cast<double>(bits));
  }
  if (draw(kDelay) < plan.delay) {
    fault.delay = plan.max_delay * draw(kDelayLength);
  }
  return fault;
}

}  // namespace podsim
