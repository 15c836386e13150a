#include "runtime/forecast/evaluation_forecast.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "base/status.h"
#include "chip/step.h"
#include "job/repeats.h"

namespace podsim {
namespace {

// One pass of a core over its rows.
double PassSeconds(const ChipProgram& program, const ChipFigures& chip) {
  SimTime time = SimTime::Seconds(chip.step_seconds);
  for (const KernelTime& kernel : TimesOf(program, chip)) time += kernel.time;
  return time.seconds();
}

// Passes of all evaluations of the job; 0: it evaluates nothing.
double PassesOf(const JobPlan& plan, const Program& program,
                const Slice& slice) {
  const std::int64_t rows = plan.eval_batch_per_core();
  const std::int64_t examples = plan.bits().dataset().eval_examples();
  if (rows < 1 || examples < 1 || !program.entries.contains(EntryPoint::kEval))
    return 0;
  const std::int64_t batch = rows * slice.replicas;
  const std::int64_t passes = (examples + batch - 1) / batch;
  return static_cast<double>(
             RepeatsIn(plan.train_steps(), plan.spec().steps_per_eval())) *
         static_cast<double>(passes);
}

// Of `figure`, each unit of which takes `times` as long; nothing if it has no
// range.
void AddRange(const std::string& name, const Figure& figure, double times,
              DoubtedSeconds& start) {
  if (figure.low() <= 0 || figure.high() <= 0) return;
  const double below = times * (figure.value() - figure.low());
  const double above = times * (figure.high() - figure.value());
  start.shares.push_back({name,
                          std::max(0.0, below),
                          std::max(0.0, above),
                          {start.seconds - below, start.seconds + above}});
}

}  // namespace

DoubtedSeconds StartUpOf(const Slice& slice, const Generation& generation) {
  const double chips = slice.chips;
  DoubtedSeconds start = {.seconds =
                              slice.chip().start_seconds +
                              slice.chip().start_seconds_per_chip * chips};
  AddRange("start_seconds", generation.start_seconds(), 1, start);
  AddRange("start_seconds_per_chip", generation.start_seconds_per_chip(), chips,
           start);
  return start;
}

absl::StatusOr<DoubtedSeconds> ForecastEvaluations(
    const JobPlan& plan, const Program& program, const Slice& slice,
    const Generation& generation) {
  const double passes = PassesOf(plan, program, slice);
  if (passes == 0) return DoubtedSeconds();
  const std::int64_t rows = plan.eval_batch_per_core();
  const ChipPass pass = EvaluationOf(program, rows, slice.chip());
  DoubtedSeconds all = {.seconds =
                            passes * PassSeconds(pass.program, slice.chip())};
  PODSIM_ASSIGN_OR_RETURN(
      Spread spread,
      SpreadAround(all.seconds, slice, generation,
                   [&](const Move& move) -> absl::StatusOr<double> {
                     const Slice other = move.In(slice);
                     const ChipFigures& chip = other.chip();
                     if (!move.moves(&ChipFigures::on_chip_bytes))
                       return passes * PassSeconds(pass.program, chip);
                     return passes * PassSeconds(WithOnChip(pass, rows,
                                                            chip.on_chip_bytes),
                                                 chip);
                   }));
  all.shares = std::move(spread.shares);
  return all;
}

}  // namespace podsim
