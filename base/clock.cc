#include "base/clock.h"

#include <chrono>

#include "absl/time/clock.h"

namespace podsim {
namespace {
absl::Duration SinceBoot() {
  return absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}
}  // namespace

SystemClock::SystemClock()
    : offset_(absl::Now() - absl::UnixEpoch() - SinceBoot()) {}

absl::Time SystemClock::Now() const {
  return absl::UnixEpoch() + offset_ + SinceBoot();
}

}  // namespace podsim
