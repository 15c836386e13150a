// Every draw has a counter of its own, so that changing one chance leaves the
// other faults of a seed where they were.
#include "tests/interconnect/transport/faults/frame_faults.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/random.h"

namespace podsim::testing {
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

RandomFaults::RandomFaults(FrameFaults plan, const Clock& clock)
    : plan_(std::move(plan)), clock_(clock), start_(clock.Now()) {}

std::vector<FrameFaults::Cut> RandomFaults::CutsInForce() const {
  std::vector<FrameFaults::Cut> cuts;
  for (const FrameFaults::Cut& cut : plan_.cuts) {
    if (clock_.Now() >= start_ + cut.at) cuts.push_back(cut);
  }
  return cuts;
}

FrameFate RandomFaults::FateOf(const FrameHeader& header, std::size_t bytes,
                               absl::Time /*now*/) {
  const Route route = RouteOf(header);
  const FrameFault fault = DecideFault(plan_, route, frames_[route]++, bytes);
  if (observer_) observer_(header, fault);
  return {.delay = fault.reorder ? plan_.max_delay : fault.delay,
          .overtakable = fault.reorder,
          .copies = fault.drop        ? 0
                    : fault.duplicate ? 2
                                      : 1,
          .flip_bit = fault.flip_bit};
}

bool RandomFaults::Passes(const FrameHeader& header) const {
  const auto is_end = [&header](int host) {
    return header.from == host || header.to == host;
  };
  for (const int host : cut_off_) {
    if (is_end(host)) return false;
  }
  for (const FrameFaults::Cut& cut : CutsInForce()) {
    if (is_end(cut.peer)) return false;
  }
  return true;
}

}  // namespace podsim::testing
