#include "runtime/job/plan_faults.h"

#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/cord.h"
#include "base/status.h"
#include "job/lines.h"
#include "runtime/job/draw_faults.h"

namespace podsim {
namespace {

constexpr char kOfFaultPlan[] = "podsim.fault_plan";

}  // namespace

bool IsOfFaultPlan(const absl::Status& status) {
  return status.GetPayload(kOfFaultPlan).has_value();
}

absl::Status FillFaults(const JobSpec& spec, JobPlan& plan) {
  if (!spec.has_faults()) return absl::OkStatus();
  FaultScope scope = {
      .hosts = plan.bits().hosts(),
      .first_host = {plan.first_host().begin(), plan.first_host().end()},
      .steps = plan.train_steps(),
      .checkpoints = !spec.model_dir().empty()};
  PODSIM_ASSIGN_OR_RETURN(scope.lines, LinesOf(plan));
  absl::StatusOr<std::vector<Fault>> faults = DrawFaults(spec.faults(), scope);
  if (!faults.ok()) {
    absl::Status status = std::move(faults).status();
    status.SetPayload(kOfFaultPlan, absl::Cord());
    return status;
  }
  for (const Fault& fault : *faults) *plan.add_faults() = fault;
  return absl::OkStatus();
}

}  // namespace podsim
