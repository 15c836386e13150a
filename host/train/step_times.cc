#include "host/train/step_times.h"

#include <algorithm>

namespace podsim {

void StepTimes::Enter(StepPhase phase, absl::Time at) {
  marks_.push_back(
      {.phase = phase, .begin = std::max(at, marks_.back().begin)});
}

PhaseTimes StepTimes::EndStep(absl::Time at) {
  const absl::Time end = std::max(at, begin_);
  PhaseTimes times = {.total = end - begin_};
  std::size_t open = 0;  // the mark that `end` falls into
  for (std::size_t i = 0; i < marks_.size() && marks_[i].begin <= end; ++i) {
    const absl::Time next =
        i + 1 < marks_.size() ? std::min(marks_[i + 1].begin, end) : end;
    times.phases[static_cast<std::size_t>(marks_[i].phase)] +=
        next - marks_[i].begin;
    open = i;
  }
  marks_.erase(marks_.begin(),
               marks_.begin() + static_cast<std::ptrdiff_t>(open));
  marks_.front().begin = end;
  begin_ = end;
  return times;
}

}  // namespace podsim
