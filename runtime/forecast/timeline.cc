#include "runtime/forecast/timeline.h"

#include <algorithm>
#include <cstddef>

#include "base/status.h"

namespace podsim {

std::vector<TimelineSpan> RunTimeline(const std::vector<TimelinePart>& parts) {
  std::vector<TimelineSpan> spans;
  spans.reserve(parts.size());
  SimTime cores_free;
  SimTime links_free;
  for (const TimelinePart& part : parts) {
    const bool takes_cores = part.resource != SimResource::kLinks;
    const bool takes_links = part.resource != SimResource::kCores;
    SimTime begin;
    if (takes_cores) begin = std::max(begin, cores_free);
    if (takes_links) begin = std::max(begin, links_free);
    for (const std::int32_t other : part.after) {
      PODSIM_CHECK(other >= 0 &&
                   static_cast<std::size_t>(other) < spans.size());
      begin = std::max(begin, spans[static_cast<std::size_t>(other)].end);
    }
    const SimTime end = begin + part.time;
    if (takes_cores) cores_free = end;
    if (takes_links) links_free = end;
    spans.push_back({begin, end});
  }
  return spans;
}

}  // namespace podsim
