#include "models/optimizer/learning_rate.h"

#include <algorithm>
#include <string_view>

#include "base/portable_math.h"
#include "base/status.h"

namespace podsim {
namespace {

// From 1 at the end of the warm-up to 0 at the end of the run.
double Falling(const LearningRate& schedule, double left) {
  const std::string_view shape = schedule.schedule();
  if (shape == "linear") return left;
  if (shape == "cosine") return (1 + PortableCircle((1 - left) / 2).cosine) / 2;
  return PortablePower(left, schedule.power());
}

bool Falls(const LearningRate& schedule) {
  const std::string_view shape = schedule.schedule();
  return shape == "linear" || shape == "cosine" || shape == "polynomial";
}

// Part of the peak after `before` examples.
double PartAfter(const LearningRate& schedule, std::int64_t before) {
  double part = 1;
  for (const std::int64_t drop : schedule.drops())
    if (before >= drop) part *= schedule.drop_factor();
  if (!Falls(schedule)) return part;
  const std::int64_t from = schedule.warmup_examples();
  const std::int64_t length = schedule.end_examples() - from;
  if (before <= from || length <= 0) return 1;
  const double left = std::max(0.0, 1 - static_cast<double>(before - from) /
                                            static_cast<double>(length));
  return schedule.end() + (1 - schedule.end()) * Falling(schedule, left);
}

}  // namespace

double RateAt(const LearningRate& schedule, std::int64_t consumed_before_step,
              std::int64_t global_batch) {
  PODSIM_CHECK(consumed_before_step >= 0 && global_batch >= 1);
  const std::int64_t warmup = schedule.warmup_examples();
  if (schedule.has_warmup_init() && consumed_before_step < warmup) {
    const double init = schedule.warmup_init();
    return schedule.peak() *
           (init + (1 - init) * static_cast<double>(consumed_before_step) /
                       static_cast<double>(warmup));
  }
  const std::int64_t consumed = consumed_before_step + global_batch;
  if (consumed < warmup && !schedule.has_warmup_init())
    return schedule.peak() * static_cast<double>(consumed) /
           static_cast<double>(warmup);
  if (schedule.schedule().empty()) return schedule.peak();
  return schedule.peak() * PartAfter(schedule, consumed_before_step);
}

}  // namespace podsim
