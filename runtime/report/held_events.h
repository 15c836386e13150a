// A job's events that wait for the forecast, so that what is said of them has
// both clocks. Pure.
//
//   HeldEvents held(64 << 20);
//   held.Add(event, clock.Now());
//   while (auto oldest = held.TakeExcess()) Write(*oldest);  // one too many
//   while (auto oldest = held.Take()) Write(*oldest);        // all
#ifndef PODSIM_RUNTIME_REPORT_HELD_EVENTS_H_
#define PODSIM_RUNTIME_REPORT_HELD_EVENTS_H_

#include <cstddef>
#include <deque>
#include <optional>

#include "absl/time/time.h"
#include "proto/event.pb.h"

namespace podsim {

struct HeldEvent {
  JobEvent event;
  absl::Time arrived;
};

// First in, first out.
class HeldEvents {
 public:
  // `most_bytes`: of all that are held, as they are serialized.
  explicit HeldEvents(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  bool empty() const { return events_.empty(); }
  void Add(const JobEvent& event, absl::Time arrived);
  // The oldest; nothing: there is none.
  std::optional<HeldEvent> Take();
  // The same while more bytes are held than may be.
  std::optional<HeldEvent> TakeExcess();

 private:
  const std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::deque<HeldEvent> events_;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_HELD_EVENTS_H_
