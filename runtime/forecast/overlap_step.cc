#include "runtime/forecast/overlap_step.h"

#include <algorithm>

#include "base/status.h"

namespace podsim {

double SimStep::ExamplesPerSecond(std::int64_t global_batch) const {
  return static_cast<double>(global_batch) / total.seconds();
}

SimStep OverlapStep(const StepParts& parts) {
  SimStep step;
  step.input = parts.input;
  step.store = parts.store;
  step.update = parts.update;
  std::vector<SimTime> ended = {SimTime()};  // after 0, 1, ... segments
  auto exchange = parts.exchanges.begin();
  for (const SimTime segment : parts.segments) {
    step.compute += segment;
    ended.push_back(ended.back() + segment);
    const auto count = static_cast<std::int32_t>(ended.size()) - 1;
    for (;
         exchange != parts.exchanges.end() && exchange->after_segments == count;
         ++exchange) {
      step.communication += exchange->all_reduce;
      ended.back() += exchange->all_reduce;
    }
  }
  PODSIM_CHECK(exchange == parts.exchanges.end());
  SimTime wire_free;
  for (const StepParts::Bucket& bucket : parts.buckets) {
    PODSIM_CHECK(bucket.after_segments >= 0 &&
                 bucket.after_segments <
                     static_cast<std::int32_t>(ended.size()));
    wire_free =
        std::max(wire_free, ended[bucket.after_segments]) + bucket.all_reduce;
    step.communication += bucket.all_reduce;
  }
  const SimTime reduced = std::max(ended.back(), wire_free);
  step.exposed_communication = reduced - step.compute;
  step.total = std::max({step.input, step.store, reduced + step.update});
  return step;
}

}  // namespace podsim
