#include "runtime/plan/planned_links.h"

#include <map>

#include "base/status.h"
#include "runtime/forecast/drawn_step.h"

namespace podsim {

absl::StatusOr<PlannedLinks> LinksOfStep(const LadderRow& row) {
  PODSIM_CHECK(row.status.ok());
  PODSIM_ASSIGN_OR_RETURN(const DrawnStep step, DrawStep(row.plan, row.slice));
  std::map<std::int32_t, PlannedLink> by_number;
  for (const SimulatedSpan& message : step.messages) {
    PlannedLink& link = by_number[message.link];
    link.link = step.links.at(message.link);
    ++link.messages;
    link.bytes += message.bytes;
  }
  PlannedLinks planned = {.links = {}, .left_out = step.no_messages};
  for (const auto& [number, link] : by_number) planned.links.push_back(link);
  return planned;
}

}  // namespace podsim
