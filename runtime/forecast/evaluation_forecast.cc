#include "runtime/forecast/evaluation_forecast.h"

#include <cstdint>

#include "chip/step.h"
#include "job/repeats.h"

namespace podsim {
namespace {

// One pass of a core over `rows` examples.
SimTime PassOf(const Program& program, std::int64_t rows,
               const ChipFigures& chip) {
  SimTime time = SimTime::Seconds(chip.step_seconds);
  for (const KernelTime& kernel :
       TimesOf(EvaluationOf(program, rows, chip), chip))
    time += kernel.time;
  return time;
}

}  // namespace

SimTime StartUpOf(const Slice& slice) {
  return SimTime::Seconds(slice.chip().start_seconds +
                          slice.chip().start_seconds_per_chip * slice.chips);
}

double ForecastEvaluations(const JobPlan& plan, const Program& program,
                           const Slice& slice) {
  const std::int64_t rows = plan.eval_batch_per_core();
  const std::int64_t examples = plan.bits().dataset().eval_examples();
  if (rows < 1 || examples < 1 || !program.entries.contains(EntryPoint::kEval))
    return 0;
  const std::int64_t batch = rows * slice.replicas;
  const std::int64_t passes = (examples + batch - 1) / batch;
  return static_cast<double>(
             RepeatsIn(plan.train_steps(), plan.spec().steps_per_eval())) *
         static_cast<double>(passes) *
         PassOf(program, rows, slice.chip()).seconds();
}

}  // namespace podsim
