#include "base/trace/clock_offset.h"

namespace podsim {

void ClockOffset::Add(const ClockRoundTrip& trip) {
  const std::int64_t there = trip.answered - trip.heard;
  const std::int64_t way = trip.back - trip.asked - there;
  if (there < 0 || way < 0) return;
  ++trips_;
  const std::int64_t uncertainty = (way + 1) / 2;
  if (trips_ > 1 && uncertainty >= uncertainty_) return;
  uncertainty_ = uncertainty;
  // Differences of nearby times: no sum of two times since 1970, which would
  // not fit.
  offset_ = ((trip.heard - trip.asked) + (trip.answered - trip.back)) / 2;
}

}  // namespace podsim
