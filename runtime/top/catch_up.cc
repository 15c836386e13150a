#include "runtime/top/catch_up.h"

namespace podsim {

void CatchUp::OnEvent(const WatchedEvent& event, Time now) {
  heard_ = now;
  if (generation_ == 0 || event.generation() != generation_) {
    generation_ = event.generation();
    target_ = event.newest();
  }
  if (event.sequence() >= target_) current_ = true;
}

std::chrono::nanoseconds CatchUp::PatienceLeft(Time now) const {
  return heard_ + kLongestSilence - now;
}

}  // namespace podsim
