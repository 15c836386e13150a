// Wall time, injected. Code that waits or measures takes a Clock&, so that
// tests run it in virtual time.
//
// Wall time is absl::Time and absl::Duration; simulated pod time is SimTime
// (base/units.h). The two never mix.
#ifndef PODSIM_BASE_CLOCK_H_
#define PODSIM_BASE_CLOCK_H_

#include <atomic>
#include <cstdint>

#include "absl/time/time.h"

namespace podsim {

// Thread-safe. Time never goes backwards.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual absl::Time Now() const = 0;
};

// The machine's steady clock, offset to the wall time: whoever sets the wall
// clock later changes nothing here.
class SystemClock final : public Clock {
 public:
  // The wall time as it is at the moment.
  SystemClock();
  // As another clock of this machine has it (WallOffset), so that the times of
  // both can be subtracted.
  explicit SystemClock(absl::Duration wall_offset) : offset_(wall_offset) {}
  absl::Time Now() const override;

 private:
  absl::Duration offset_;
};

// How far `clock` is ahead of the machine's steady clock.
absl::Duration WallOffset(const Clock& clock);

// A clock that moves only when told to.
class SimClock final : public Clock {
 public:
  absl::Time Now() const override {
    return absl::FromUnixNanos(nanos_.load(std::memory_order_acquire));
  }
  void Advance(absl::Duration by) {
    nanos_.fetch_add(absl::ToInt64Nanoseconds(by), std::memory_order_acq_rel);
  }

 private:
  std::atomic<std::int64_t> nanos_{1'000'000'000};
};

}  // namespace podsim

#endif  // PODSIM_BASE_CLOCK_H_
