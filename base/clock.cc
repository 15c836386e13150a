#include "base/clock.h"

#include <chrono>

#include "absl/time/time.h"

namespace podsim {
namespace {
absl::Duration SinceBoot() {
  return absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}
}  // namespace

// Not absl::Now, which looks at the wall clock only now and then.
SystemClock::SystemClock()
    : offset_(absl::FromChrono(std::chrono::system_clock::now()) -
              absl::UnixEpoch() - SinceBoot()) {}

absl::Time SystemClock::Now() const {
  return absl::UnixEpoch() + offset_ + SinceBoot();
}

absl::Duration WallOffset(const Clock& clock) {
  return clock.Now() - absl::UnixEpoch() - SinceBoot();
}

}  // namespace podsim
