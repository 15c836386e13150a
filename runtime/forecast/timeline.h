// When each part of a step runs on a chip, whose cores and links are two
// resources: a part begins when what it waits for has ended and its resource is
// free. Pure; all times are simulated.
//
//   const auto spans = RunTimeline({
//       {.time = forward},
//       {.time = backward},
//       {.resource = SimResource::kLinks, .time = sum, .after = {1}},
//       {.time = update, .after = {2}}});
//   spans[3].end   of the update
#ifndef PODSIM_RUNTIME_FORECAST_TIMELINE_H_
#define PODSIM_RUNTIME_FORECAST_TIMELINE_H_

#include <cstdint>
#include <vector>

#include "base/units.h"

namespace podsim {

enum class SimResource : std::uint8_t {
  kCores,
  kLinks,
  kBoth,  // links, and the cores wait meanwhile
};

struct TimelinePart {
  SimResource resource = SimResource::kCores;
  SimTime time;
  // Parts before this one, by their place in the list, that must have ended.
  std::vector<std::int32_t> after;
};

struct TimelineSpan {
  SimTime begin;
  SimTime end;
};

// A resource takes its parts in the order of the list. Linear in parts and
// `after`. REQUIRES: each `after` is before its part.
std::vector<TimelineSpan> RunTimeline(const std::vector<TimelinePart>& parts);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FORECAST_TIMELINE_H_
