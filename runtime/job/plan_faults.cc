#include "runtime/job/plan_faults.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/units.h"
#include "job/lines.h"
#include "runtime/job/draw_faults.h"

namespace podsim {
namespace {

constexpr char kOfFaultPlan[] = "podsim.fault_plan";

// "--train_steps 4 of v3-8 are 1 step on v3-32"; empty: they are not scaled.
std::string StepsAre(const JobSpec& spec, const JobPlan& plan) {
  const Scaling& scaling = plan.scaling();
  if (scaling.reference_steps() == 0 || scaling.reference().empty() ||
      scaling.reference_batch() == plan.global_batch())
    return "";
  return absl::StrCat("--train_steps ", scaling.reference_steps(), " of ",
                      scaling.reference(), " are ",
                      FormatCounted(plan.train_steps(), "step"), " on ",
                      spec.topology());
}

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
      .steps_are = StepsAre(spec, plan),
      .more_steps = spec.has_epochs() ? "--epochs" : "--train_steps",
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
