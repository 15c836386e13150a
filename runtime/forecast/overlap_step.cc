#include "runtime/forecast/overlap_step.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/status.h"

namespace podsim {
namespace {

// The parts of a timeline and what of the step each is.
struct Timeline {
  std::vector<TimelinePart> parts;
  std::vector<SimSpan> spans;

  std::int32_t Add(TimelinePart part, SimSpan span) {
    span.resource = part.resource;
    parts.push_back(std::move(part));
    spans.push_back(span);
    return static_cast<std::int32_t>(parts.size()) - 1;
  }
};

// What kernels wait for: by kernel, and behind the last of them the step's end.
std::vector<std::vector<std::int32_t>> WaitsOf(const StepParts& parts) {
  std::vector<std::vector<std::int32_t>> waits(parts.kernels.size() + 1);
  for (std::size_t i = 0; i < parts.sums.size(); ++i) {
    const StepParts::Sum& sum = parts.sums[i];
    PODSIM_CHECK(i == 0 || parts.sums[i - 1].ready <= sum.ready);
    PODSIM_CHECK(sum.ready >= -1 && sum.ready < sum.needed &&
                 static_cast<std::size_t>(sum.needed) <= parts.kernels.size());
    waits[static_cast<std::size_t>(sum.needed)].push_back(
        static_cast<std::int32_t>(i));
  }
  return waits;
}

Timeline PartsInOrder(const StepParts& parts) {
  const std::vector<std::vector<std::int32_t>> waits = WaitsOf(parts);
  Timeline timeline;
  if (parts.earlier > SimTime())
    timeline.Add({.time = parts.earlier}, {SimSpan::Kind::kEarlier});
  std::vector<std::int32_t> kernel_at(parts.kernels.size(), -1);
  std::vector<std::int32_t> sum_at(parts.sums.size(), -1);
  std::size_t next = 0;  // of the sums
  const auto add_sums = [&](std::int32_t last) {
    for (; next < parts.sums.size() && parts.sums[next].ready <= last; ++next) {
      const StepParts::Sum& sum = parts.sums[next];
      TimelinePart part = {.resource = sum.holds_cores ? SimResource::kBoth
                                                       : SimResource::kLinks,
                           .time = sum.time};
      if (sum.ready >= 0)
        part.after = {kernel_at[static_cast<std::size_t>(sum.ready)]};
      sum_at[next] =
          timeline.Add(std::move(part),
                       {SimSpan::Kind::kSum, static_cast<std::int32_t>(next)});
    }
  };
  add_sums(-1);
  for (std::size_t i = 0; i < parts.kernels.size(); ++i) {
    TimelinePart part = {.time = parts.kernels[i]};
    for (const std::int32_t sum : waits[i])
      part.after.push_back(sum_at[static_cast<std::size_t>(sum)]);
    const auto index = static_cast<std::int32_t>(i);
    kernel_at[i] =
        timeline.Add(std::move(part), {SimSpan::Kind::kKernel, index});
    add_sums(index);
  }
  return timeline;
}

}  // namespace

double SimStep::ExamplesPerSecond(std::int64_t global_batch) const {
  return static_cast<double>(global_batch) / total.seconds();
}

std::vector<SimSpan> TimelineOf(const StepParts& parts) {
  Timeline timeline = PartsInOrder(parts);
  const std::vector<TimelineSpan> times = RunTimeline(timeline.parts);
  for (std::size_t i = 0; i < times.size(); ++i)
    timeline.spans[i].time = times[i];
  return std::move(timeline.spans);
}

SimStep OverlapStep(const StepParts& parts) {
  SimStep step = {.input = parts.input,
                  .store = parts.store,
                  .compute = parts.earlier,
                  .fixed = parts.fixed};
  for (std::size_t i = 0; i < parts.kernels.size(); ++i)
    (static_cast<std::int32_t>(i) < parts.update ? step.compute
                                                 : step.update) +=
        parts.kernels[i];
  for (const StepParts::Sum& sum : parts.sums) step.communication += sum.time;
  SimTime end;
  for (const SimSpan& span : TimelineOf(parts))
    end = std::max(end, span.time.end);
  step.exposed_communication = end - step.compute - step.update;
  step.total = std::max({step.input, step.store, end}) + parts.fixed;
  return step;
}

}  // namespace podsim
