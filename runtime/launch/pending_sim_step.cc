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

PendingSimStep::PendingSimStep(const PlannedJob& job,
                               PendingForecast& forecast) {
  if (!IsKept(job.spec)) return;
  const SignalsBlocked blocked;
  step_ = std::async(
      std::launch::async, [&job, &forecast]() -> std::optional<SimStepPart> {
        if (!forecast.Get().ok()) return std::nullopt;
        const absl::StatusOr<DrawnStep> drawn = DrawStep(job.plan, job.slice);
        if (!drawn.ok()) return std::nullopt;
        return ToProto(*drawn);
      });
}

std::optional<SimStepPart> PendingSimStep::Take(absl::Duration wait) {
  if (!step_.valid() || step_.wait_for(absl::ToChronoNanoseconds(wait)) !=
                            std::future_status::ready)
    return std::nullopt;
  return step_.get();
}

}  // namespace podsim
