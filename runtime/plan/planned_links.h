// What a planned step sends over each link of its slice. Pure, simulated.
#ifndef PODSIM_RUNTIME_PLAN_PLANNED_LINKS_H_
#define PODSIM_RUNTIME_PLAN_PLANNED_LINKS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/plan/ladder.h"

namespace podsim {

struct PlannedLink {
  std::string link;           // "(0,0)-(1,0)"
  std::int64_t messages = 0;  // that cross it in a step
  std::int64_t bytes = 0;     // of all of them
};

struct PlannedLinks {
  std::vector<PlannedLink> links;  // that something crosses, in their order
  std::string left_out;            // why messages are not told; empty: they are
};

// As a trace shows them (DrawStep). REQUIRES: row.status.ok(). Errors: those of
// DrawStep.
absl::StatusOr<PlannedLinks> LinksOfStep(const LadderRow& row);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_PLANNED_LINKS_H_
