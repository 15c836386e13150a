#include "runtime/forecast/job_forecast.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "job/plan_program.h"
#include "models/zoo/zoo.h"
#include "runtime/job/geography.h"
#include "settings/words.h"

namespace podsim {
namespace {

// Of the plan's step with another batch; in one pass where its microbatches do
// not divide that.
StepOptions OptionsOf(const JobPlan& plan, std::int64_t batch_per_core) {
  StepOptions options = {.batch_per_core = batch_per_core};
  const std::int64_t rows = plan.bits().microbatch_size();
  if (rows > 0 && batch_per_core % rows == 0)
    options.microbatches = batch_per_core / rows;
  if (plan.spec().ici_dtype() == words::WireType::bfloat16)
    options.gradient_bytes = 2;
  options.recomputes = plan.spec().remat() == words::Remat::auto_;
  const BucketPlace* store = PlaceOf(plan.geography(), "data_dir");
  if (store != nullptr && HasLink(*store)) {
    options.store = store;
    options.stored_example_bytes = plan.geography().example_bytes();
  }
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
                                const ChipStep& chip, const Slice& slice,
                                const Generation& generation,
                                const StepOptions& options,
                                const SumPrices& sums) {
  return BandAround(
      step.total, slice, generation,
      [&](const Move& move) -> absl::StatusOr<SimTime> {
        const Slice other = move.In(slice);
        SumPrices prices = sums.Moved(other, move);
        std::optional<ChipStep> kept;
        if (move.figure == &ChipFigures::on_chip_bytes)
          kept = WithOnChip(chip, options.rows(), other.chip().on_chip_bytes);
        PODSIM_ASSIGN_OR_RETURN(
            const StepParts parts,
            PriceStep(program, kept ? *kept : chip, other, options, prices));
        return OverlapStep(parts).total;
      });
}

// Figures of the way to the bucket that may be others, each an end of its
// range.
std::vector<std::pair<BucketPlace, BucketPlace>> DoubtsOf(
    const BucketPlace& store) {
  std::vector<std::pair<BucketPlace, BucketPlace>> doubts;
  const auto add = [&](Figure* (BucketPlace::*figure)()) {
    BucketPlace low = store;
    BucketPlace high = store;
    Figure& low_end = *(low.*figure)();
    if (low_end.grade() == PRIMARY || low_end.low() <= 0) return;
    low_end.set_value(low_end.low());
    Figure& high_end = *(high.*figure)();
    high_end.set_value(high_end.high());
    doubts.emplace_back(std::move(low), std::move(high));
  };
  add(&BucketPlace::mutable_round_trip_seconds);
  add(&BucketPlace::mutable_host_bytes_per_second);
  add(&BucketPlace::mutable_bucket_bytes_per_second);
  return doubts;
}

double Square(double value) { return value * value; }

// `band` around the step of `parts`, with the doubts of the way to its store
// added in squares, as for the others (interconnect/timing/band.h).
Band WithDoubtsOfStore(const Band& band, const StepParts& parts,
                       const StepOptions& options, const Slice& slice) {
  if (options.store == nullptr) return band;
  const double total = OverlapStep(parts).total.seconds();
  double below = Square(total - band.low.seconds());
  double above = Square(band.high.seconds() - total);
  for (const auto& [low, high] : DoubtsOf(*options.store)) {
    double least = 0;
    double most = 0;
    for (const BucketPlace& place : {low, high}) {
      StepParts moved = parts;
      moved.store = PriceStore(place, options.stored_example_bytes,
                               options.batch_per_core, slice);
      const double other = OverlapStep(moved).total.seconds() - total;
      least = std::min(least, other);
      most = std::max(most, other);
    }
    below += least * least;
    above += most * most;
  }
  return {SimTime::Seconds(total - std::sqrt(below)),
          SimTime::Seconds(total + std::sqrt(above))};
}

// Of more than half of its kernels' time HBM is what decides.
bool IsHbmBound(const ChipStep& chip, const Slice& slice) {
  SimTime all;
  SimTime bound;
  for (const KernelTime& kernel : TimesOf(chip.program, slice.chip())) {
    all += kernel.time;
    if (kernel.bound == KernelBound::kHbm) bound += kernel.time;
  }
  return bound + bound > all;
}

absl::StatusOr<LadderFoot> FootOn(const Slice& slice,
                                  std::int64_t batch_per_core,
                                  const JobPlan& plan) {
  PODSIM_ASSIGN_OR_RETURN(const Program program, ProgramOf(plan));
  SumPrices sums(slice, AlgorithmOf(plan.spec()));
  StepOptions options = OptionsOf(plan, batch_per_core);
  options.recomputes = false;  // nobody asked whether it fits there
  PODSIM_ASSIGN_OR_RETURN(const SimStep step,
                          ForecastStep(program, slice, options, sums));
  return LadderFoot{slice.name, batch_per_core,
                    step.ExamplesPerSecond(batch_per_core),
                    step.exposed_communication.seconds()};
}

}  // namespace

const char* BoundOf(const SimStep& step) {
  const SimTime compute = step.compute + step.update;
  const SimTime data = std::max(step.input, step.store);
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
  const StepOptions options = OptionsOf(plan, plan.bits().batch_per_core());
  SumPrices sums(slice, AlgorithmOf(plan.spec()));
  JobForecast forecast = {.global_batch = plan.global_batch(),
                          .steps = plan.train_steps(),
                          .chips = slice.chips,
                          .replicas = slice.replicas};
  PODSIM_ASSIGN_OR_RETURN(const ChipStep chip,
                          ChipStepFor(program, slice, options));
  PODSIM_ASSIGN_OR_RETURN(const StepParts parts,
                          PriceStep(program, chip, slice, options, sums));
  forecast.step = OverlapStep(parts);
  PODSIM_ASSIGN_OR_RETURN(const Band band,
                          BandOfStep(forecast.step, program, chip, slice,
                                     generation, options, sums));
  forecast.band = WithDoubtsOfStore(band, parts, options, slice);
  forecast.saves = ForecastSaves(plan, slice, forecast.step.total);
  forecast.algorithm = sums.OfLargest();
  forecast.is_unvalidated =
      plan.spec().has_model_file() || IsPlanned(plan.spec().model());
  forecast.is_hbm_bound = IsHbmBound(chip, slice);
  forecast.prices_groups_as_whole = HasGroups(program, slice);
  return forecast;
}

absl::StatusOr<LadderFoot> FootOf(const JobPlan& plan, const Hardware& hardware,
                                  const std::string& generation) {
  std::int64_t batch_per_core = plan.bits().batch_per_core();
  if (plan.spec().has_reference_topology()) {
    PODSIM_ASSIGN_OR_RETURN(
        const Slice reference,
        FindSlice(plan.spec().reference_topology(), {.hardware = &hardware}));
    batch_per_core = plan.scaling().reference_batch() / reference.replicas;
    if (reference.generation == generation)
      return FootOn(reference, batch_per_core, plan);
  }
  for (const std::string& name :
       SliceNamesOf(*FindGeneration(hardware, generation))) {
    PODSIM_ASSIGN_OR_RETURN(const Slice slice,
                            FindSlice(name, {.hardware = &hardware}));
    if (CheckTrains(slice).ok() || name == plan.bits().slice())
      return FootOn(slice, batch_per_core, plan);
  }
  return absl::NotFoundError(
      absl::StrCat("no slice of ", generation, " trains"));
}

}  // namespace podsim
