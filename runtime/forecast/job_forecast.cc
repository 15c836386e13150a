#include "runtime/forecast/job_forecast.h"

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "job/plan_program.h"
#include "settings/words.h"

namespace podsim {
namespace {

StepOptions OptionsOf(const JobPlan& plan) {
  const PlanBits& bits = plan.bits();
  StepOptions options = {.batch_per_core = bits.batch_per_core()};
  if (bits.microbatch_size() > 0)
    options.microbatches = bits.batch_per_core() / bits.microbatch_size();
  if (plan.spec().ici_dtype() == words::WireType::bfloat16)
    options.gradient_bytes = 2;
  return options;
}

std::optional<ChipAlgorithm> AlgorithmOf(const JobSpec& spec) {
  if (spec.ici_algorithm() == words::IciAlgorithm::auto_) return std::nullopt;
  return ChipAlgorithmNamed(WordOf(spec.ici_algorithm()));
}

bool HasGroups(const Program& program, const Slice& slice) {
  for (const Segment& segment :
       program.entries.at(EntryPoint::kTrainMicrobatch))
    if (segment.joins_tensor() &&
        segment.group > slice.chip().replicas_per_chip &&
        segment.group < slice.replicas)
      return true;
  return false;
}

absl::StatusOr<Band> BandOfStep(const SimStep& step, const Program& program,
                                const Slice& slice,
                                const Generation& generation,
                                const StepOptions& options,
                                const SumPrices& sums) {
  return BandAround(step.total, slice, generation,
                    [&](const Move& move) -> absl::StatusOr<SimTime> {
                      const Slice other = move.In(slice);
                      SumPrices prices = sums.Moved(other, move);
                      PODSIM_ASSIGN_OR_RETURN(
                          const SimStep step_then,
                          ForecastStep(program, other, options, prices));
                      return step_then.total;
                    });
}

}  // namespace

const char* BoundOf(const SimStep& step) {
  const SimTime compute = step.compute + step.update;
  if (step.input > compute + step.exposed_communication) return "the input";
  return step.exposed_communication > compute ? "the all-reduce" : "compute";
}

absl::StatusOr<JobForecast> ForecastJob(const JobPlan& plan, const Slice& slice,
                                        const Generation& generation) {
  PODSIM_CHECK(plan.bits().slice() == slice.name &&
               generation.name() == slice.generation);
  PODSIM_ASSIGN_OR_RETURN(const Program program, ProgramOf(plan));
  const StepOptions options = OptionsOf(plan);
  SumPrices sums(slice, AlgorithmOf(plan.spec()));
  JobForecast forecast = {.global_batch = plan.global_batch(),
                          .steps = plan.train_steps(),
                          .chips = slice.chips,
                          .replicas = slice.replicas};
  PODSIM_ASSIGN_OR_RETURN(forecast.step,
                          ForecastStep(program, slice, options, sums));
  PODSIM_ASSIGN_OR_RETURN(
      forecast.band,
      BandOfStep(forecast.step, program, slice, generation, options, sums));
  forecast.algorithm = sums.OfLargest();
  forecast.prices_groups_as_whole = HasGroups(program, slice);
  return forecast;
}

absl::StatusOr<LadderFoot> FootOf(const JobPlan& plan, const Hardware& hardware,
                                  const std::string& generation) {
  for (const std::string& name :
       SliceNamesOf(*FindGeneration(hardware, generation))) {
    PODSIM_ASSIGN_OR_RETURN(const Slice slice,
                            FindSlice(name, {.hardware = &hardware}));
    if (!CheckTrains(slice).ok()) continue;
    PODSIM_ASSIGN_OR_RETURN(const Program program, ProgramOf(plan));
    const StepOptions options = OptionsOf(plan);
    SumPrices sums(slice, AlgorithmOf(plan.spec()));
    PODSIM_ASSIGN_OR_RETURN(const SimStep step,
                            ForecastStep(program, slice, options, sums));
    return LadderFoot{name, step.ExamplesPerSecond(options.batch_per_core)};
  }
  return absl::NotFoundError(
      absl::StrCat("no slice of ", generation, " trains"));
}

}  // namespace podsim
