#include "runtime/job/plan_faults.h"

#include <utility>
#include <vector>

#include "base/status.h"
#include "job/lines.h"
#include "runtime/job/draw_faults.h"

namespace podsim {

absl::Status FillFaults(const JobSpec& spec, JobPlan& plan) {
  if (!spec.has_faults()) return absl::OkStatus();
  FaultScope scope = {
      .hosts = plan.bits().hosts(),
      .first_host = {plan.first_host().begin(), plan.first_host().end()},
      .steps = plan.train_steps(),
      .checkpoints = !spec.model_dir().empty()};
  PODSIM_ASSIGN_OR_RETURN(scope.lines, LinesOf(plan));
  PODSIM_ASSIGN_OR_RETURN(const std::vector<Fault> faults,
                          DrawFaults(spec.faults(), scope));
  for (const Fault& fault : faults) *plan.add_faults() = fault;
  return absl::OkStatus();
}

}  // namespace podsim
