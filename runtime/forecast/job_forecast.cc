#include "runtime/forecast/job_forecast.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "job/plan_program.h"
#include "runtime/forecast/evaluation_forecast.h"
#include "runtime/forecast/job_options.h"
#include "runtime/forecast/step_band.h"
#include "runtime/job/geography.h"
#include "runtime/job/spec_check.h"
#include "settings/words.h"

namespace podsim {
namespace {

// Of more than half of its kernels' time HBM is what decides.
bool IsHbmBound(const ChipStep& chip, const Slice& slice,
                const StepOptions& options) {
  const std::vector<KernelTime> times =
      options.sharded_update
          ? ShardedTimesOf(chip.program, slice.chip(),
                           FirstOfUpdate(chip.program), slice.replicas)
          : TimesOf(chip.program, slice.chip());
  SimTime all;
  SimTime bound;
  for (const KernelTime& kernel : times) {
    all += kernel.time;
    if (kernel.bound == KernelBound::kHbm) bound += kernel.time;
  }
  return bound + bound > all;
}

// Products of one step of a replica, and those that run again for want of HBM.
struct StepFlops {
  double model = 0;
  double recomputed = 0;
};
StepFlops FlopsOf(const ChipStep& chip, const StepOptions& options) {
  StepFlops flops;
  const auto passes = static_cast<double>(options.microbatches);
  for (const Recomputed& each : chip.recomputed)
    flops.recomputed += passes * each.flops;
  flops.model = passes * ProductFlops(chip.program) - flops.recomputed;
  return flops;
}

absl::StatusOr<LadderFoot> FootOn(const Slice& slice,
                                  std::int64_t batch_per_core,
                                  const JobPlan& plan) {
  PODSIM_ASSIGN_OR_RETURN(const Program program, ProgramOf(plan));
  SumPrices sums(slice, AskedAlgorithm(plan.spec()));
  StepOptions options = StepOptionsOf(plan, batch_per_core);
  options.recomputes = false;  // nobody asked whether it fits there
  PODSIM_ASSIGN_OR_RETURN(const SimStep step,
                          ForecastStep(program, slice, options, sums));
  return LadderFoot{slice.name, batch_per_core,
                    step.ExamplesPerSecond(batch_per_core),
                    step.exposed_communication.seconds(), step.fixed.seconds()};
}

}  // namespace

const char* BoundOf(const SimStep& step) {
  const SimTime compute = step.compute + step.update;
  const SimTime data = std::max(step.input, step.store);
  if (step.fixed > std::max({compute, data, step.exposed_communication}))
    return "the fixed cost";
  if (data > compute + step.exposed_communication)
    return step.store > step.input ? "the store" : "the input";
  return step.exposed_communication > compute ? "the all-reduce" : "compute";
}

const char* BoundOf(const JobForecast& forecast) {
  const char* const part = BoundOf(forecast.step);
  return forecast.is_hbm_bound && std::string_view(part) == "compute"
             ? "HBM traffic"
             : part;
}

absl::StatusOr<JobForecast> ForecastJob(const JobPlan& plan, const Slice& slice,
                                        const Generation& generation) {
  PODSIM_CHECK(plan.bits().slice() == slice.name &&
               generation.name() == slice.generation);
  PODSIM_ASSIGN_OR_RETURN(const Program program, ProgramOf(plan));
  const StepOptions options = StepOptionsOf(plan, plan.bits().batch_per_core());
  SumPrices sums(slice, AskedAlgorithm(plan.spec()));
  JobForecast forecast = {.global_batch = plan.global_batch(),
                          .steps = plan.train_steps(),
                          .chips = slice.chips,
                          .replicas = slice.replicas};
  PODSIM_ASSIGN_OR_RETURN(const ChipStep chip,
                          ChipStepFor(program, slice, options));
  PODSIM_ASSIGN_OR_RETURN(const StepParts parts,
                          PriceStep(program, chip, slice, options, sums));
  forecast.step = OverlapStep(parts);
  PODSIM_ASSIGN_OR_RETURN(forecast.band, BandOfStep({.program = &program,
                                                     .chip = &chip,
                                                     .slice = &slice,
                                                     .generation = &generation,
                                                     .options = &options,
                                                     .sums = &sums},
                                                    parts));
  forecast.saves = ForecastSaves(plan, slice, forecast.step.total);
  forecast.algorithm = sums.OfLargest();
  const StepFlops flops = FlopsOf(chip, options);
  forecast.model_flops = flops.model;
  forecast.recomputed_flops = flops.recomputed;
  forecast.peak_flops = slice.chip().matrix_flops;
  DoubtedSeconds start = StartUpOf(slice, generation);
  forecast.start_up = SimTime::Seconds(start.seconds);
  forecast.start_up_shares = std::move(start.shares);
  PODSIM_ASSIGN_OR_RETURN(
      DoubtedSeconds evaluations,
      ForecastEvaluations(plan, program, slice, generation));
  forecast.evaluation_seconds = evaluations.seconds;
  forecast.evaluation_shares = std::move(evaluations.shares);
  forecast.is_hbm_bound = IsHbmBound(chip, slice, options);
  return forecast;
}

absl::StatusOr<LadderFoot> FootOf(const JobPlan& plan, const Hardware& hardware,
                                  const std::string& generation) {
  std::int64_t batch_per_core = plan.bits().batch_per_core();
  const SliceOptions options = {.hardware = &hardware,
                                .fuses_attention = FusesAttention(plan.spec())};
  if (plan.spec().has_reference_topology()) {
    PODSIM_ASSIGN_OR_RETURN(
        const Slice reference,
        FindSlice(plan.spec().reference_topology(), options));
    batch_per_core = plan.scaling().reference_batch() / reference.replicas;
    if (reference.generation == generation)
      return FootOn(reference, batch_per_core, plan);
  }
  for (const std::string& name :
       SliceNamesOf(*FindGeneration(hardware, generation))) {
    PODSIM_ASSIGN_OR_RETURN(const Slice slice, FindSlice(name, options));
    if (CheckTrains(slice).ok() || name == plan.bits().slice())
      return FootOn(slice, batch_per_core, plan);
  }
  return absl::NotFoundError(
      absl::StrCat("no slice of ", generation, " trains"));
}

}  // namespace podsim
