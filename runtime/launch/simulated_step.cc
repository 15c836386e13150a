// The plan's program through the forecast; see simulated_step.h.
#include "runtime/launch/simulated_step.h"

#include "job/plan_program.h"
#include "runtime/forecast/forecast.h"

namespace podsim {

std::optional<SimTime> SimulatedStep(const PlannedJob& job) {
  const PlanBits& bits = job.plan.bits();
  // The forecast prices one pass over the batch.
  if (bits.microbatch_size() != 0) return std::nullopt;
  const auto program = ProgramOf(job.plan);
  if (!program.ok()) return std::nullopt;
  const auto step = ForecastStep(*program, job.slice, bits.batch_per_core());
  if (!step.ok()) return std::nullopt;
  return step->total;
}

}  // namespace podsim
