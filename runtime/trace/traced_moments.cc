#include "runtime/trace/traced_moments.h"

#include <cstdint>
#include <optional>

namespace podsim {

void TracedMoments::OnEvent(const JobEvent& event) {
  if (!IsTraced(spec_)) return;
  if (event.has_formed()) {
    const StartPoint& start = event.formed().start();
    const std::int64_t last = start.last_step() > 0
                                  ? start.last_step()
                                  : event.formed().plan().train_steps();
    range_ = TracedSteps(spec_, start.step(), last);
    return;
  }
  std::optional<CoordinatorMoment> moment = MomentOf(event);
  if (!moment.has_value()) return;
  if (moment->is_step) {
    if (moment->step >= range_.first && moment->step <= range_.last &&
        steps_.size() < kMostSteps)
      steps_.push_back(*std::move(moment));
    return;
  }
  if (others_.size() == kMostOthers) {
    // What lies among traced steps stays; what was before them is not shown.
    if (!steps_.empty()) return;
    others_.pop_front();
  }
  others_.push_back(*std::move(moment));
}

std::vector<CoordinatorMoment> TracedMoments::All() const {
  std::vector<CoordinatorMoment> all(steps_.begin(), steps_.end());
  all.insert(all.end(), others_.begin(), others_.end());
  return all;
}

}  // namespace podsim
