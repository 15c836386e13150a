// How far another process's clock is ahead of ours, found by asking it for the
// time: the answer was made between the question and its arrival, so of all
// round trips the shortest says it best (NTP, RFC 5905 section 8).
//
//   ClockOffset offset;
//   offset.Add({.asked = 100, .heard = 205, .answered = 206, .back = 111});
//   offset.nanoseconds()   // 100: ahead; what is ours plus this is theirs
//   offset.uncertainty()   // 5: it lies within so much of that
//
// Pure.
#ifndef PODSIM_BASE_TRACE_CLOCK_OFFSET_H_
#define PODSIM_BASE_TRACE_CLOCK_OFFSET_H_

#include <cstdint>

namespace podsim {

// Nanoseconds since 1970: `asked` and `back` by our clock, `heard` and
// `answered` by theirs.
struct ClockRoundTrip {
  std::int64_t asked = 0;
  std::int64_t heard = 0;
  std::int64_t answered = 0;
  std::int64_t back = 0;
};

class ClockOffset {
 public:
  // One that no clock can have measured (that took less than nothing) is passed
  // over.
  void Add(const ClockRoundTrip& trip);

  // 0 round trips: nothing is known, and offset and uncertainty are 0.
  std::int64_t trips() const { return trips_; }
  std::int64_t nanoseconds() const { return offset_; }
  // Half of what the shortest round trip took on the way, rounded up.
  std::int64_t uncertainty() const { return uncertainty_; }

 private:
  std::int64_t trips_ = 0;
  std::int64_t offset_ = 0;
  std::int64_t uncertainty_ = 0;
};

}  // namespace podsim

#endif  // PODSIM_BASE_TRACE_CLOCK_OFFSET_H_
