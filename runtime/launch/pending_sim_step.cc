#include "runtime/launch/pending_sim_step.h"

#include "absl/status/statusor.h"
#include "base/signals_blocked.h"
#include "job/traced_steps.h"
#include "runtime/forecast/drawn_step.h"
#include "runtime/report/metrics_file.h"
#include "runtime/trace/sim_step_part.h"

namespace podsim {
namespace {

bool IsKept(const JobSpec& spec) {
  return spec.has_model_file() && !IsTraced(spec) && !MetricsPath(spec).empty();
}

}  // namespace

void PendingSimStep::Start() {
  if (!IsKept(job_.spec)) return;
  const SignalsBlocked blocked;
  step_ = std::async(std::launch::async, [this] { return Make(); });
}

std::optional<SimStepPart> PendingSimStep::Make() {
  if (!forecast_.Get().ok() || !wanted_) return std::nullopt;
  const absl::StatusOr<DrawnStep> drawn = DrawStep(job_.plan, job_.slice);
  if (!drawn.ok()) return std::nullopt;
  return ToProto(*drawn);
}

std::optional<SimStepPart> PendingSimStep::Take(absl::Duration wait) {
  if (!step_.valid() || step_.wait_for(absl::ToChronoNanoseconds(wait)) !=
                            std::future_status::ready)
    return std::nullopt;
  return step_.get();
}

}  // namespace podsim
