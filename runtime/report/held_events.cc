#include "runtime/report/held_events.h"

#include <utility>

namespace podsim {

void HeldEvents::Add(const JobEvent& event, absl::Time arrived) {
  bytes_ += event.ByteSizeLong();
  events_.push_back({.event = event, .arrived = arrived});
}

std::optional<HeldEvent> HeldEvents::Take() {
  if (events_.empty()) return std::nullopt;
  HeldEvent oldest = std::move(events_.front());
  events_.pop_front();
  bytes_ -= oldest.event.ByteSizeLong();
  return oldest;
}

std::optional<HeldEvent> HeldEvents::TakeExcess() {
  return bytes_ > most_bytes_ ? Take() : std::nullopt;
}

}  // namespace podsim
