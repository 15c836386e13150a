#include "runtime/forecast/forecast.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "chip/hbm_use.h"
#include "runtime/forecast/step_sums.h"
#include "runtime/job/geography.h"
#include "runtime/job/geography_bytes.h"

namespace podsim {
namespace {

// What nobody waits for, and SimTime can count.
constexpr double kMostSeconds = 1e6;

SimTime PriceInput(const Program& program, const Slice& slice,
                   std::int64_t batch_per_core) {
  const double bytes =
      static_cast<double>(program.input_bytes_per_row()) *
      static_cast<double>(batch_per_core * slice.chip().replicas_per_chip);
  return SimTime::Seconds(bytes / slice.chip().host_bytes_per_second_per_chip);
}

SimTime SumOf(const std::vector<KernelTime>& times, std::int32_t first,
              std::int32_t end) {
  SimTime sum;
  for (std::int32_t i = first; i < end; ++i) sum += times[i].time;
  return sum;
}

// All passes but the last, of `pass` each, with the sums of their gradients:
// two are read and one is written.
SimTime PriceEarlierPasses(const Program& program, SimTime pass,
                           const StepOptions& options,
                           const ChipFigures& chip) {
  std::int64_t gradients = 0;
  for (const GradientBucket& bucket : program.buckets)
    gradients += bucket.count;
  const SimTime sum =
      SimTime::Seconds(3.0 * sizeof(float) * static_cast<double>(gradients) /
                       (chip.hbm_bytes_per_second * chip.hbm_share));
  return SimTime::Picoseconds((options.microbatches - 1) *
                              (pass + sum).picoseconds());
}

absl::Status CheckStep(const Program& program, const StepOptions& options) {
  if (options.batch_per_core < 1)
    return absl::InvalidArgumentError(
        absl::StrCat("forecast with batch per core ", options.batch_per_core,
                     ": must be >= 1"));
  if (!program.entries.contains(EntryPoint::kTrainMicrobatch))
    return absl::InvalidArgumentError(absl::StrCat(
        "forecast of ", program.name, ": the program does not train"));
  PODSIM_CHECK(options.microbatches >= 1 &&
               options.batch_per_core % options.microbatches == 0);
  return absl::OkStatus();
}

}  // namespace

SimTime PriceStore(const BucketPlace& store, std::int64_t stored_example_bytes,
                   std::int64_t batch_per_core, const Slice& slice) {
  const double bytes =
      HostStepBytes(store, stored_example_bytes, batch_per_core, slice);
  return SimTime::Seconds(
      std::min(kMostSeconds, bytes / ReadRate(store, slice.hosts)));
}

absl::StatusOr<ChipStep> ChipStepFor(const Program& program, const Slice& slice,
                                     const StepOptions& options) {
  PODSIM_RETURN_IF_ERROR(CheckStep(program, options));
  const std::int64_t rows = options.batch_per_core / options.microbatches;
  if (!options.recomputes) return ChipStepOf(program, rows, slice.chip());
  return ChipStepOf(
      program, rows, slice.chip(),
      RoomForPass(program, rows, options.microbatches, slice.chip()));
}

absl::StatusOr<StepParts> PriceStep(const Program& program,
                                    const ChipStep& chip, const Slice& slice,
                                    const StepOptions& options,
                                    SumPrices& sums) {
  const std::int32_t update = FirstOfUpdate(chip.program);
  const std::vector<KernelTime> times =
      options.sharded_update
          ? ShardedTimesOf(chip.program, slice.chip(), update, slice.replicas)
          : TimesOf(chip.program, slice.chip());
  StepParts parts = {
      .input = PriceInput(program, slice, options.batch_per_core),
      .update = update,
      .fixed = SimTime::Seconds(slice.chip().step_seconds)};
  if (options.store != nullptr)
    parts.store = PriceStore(*options.store, options.stored_example_bytes,
                             options.batch_per_core, slice);
  for (const KernelTime& kernel : times) parts.kernels.push_back(kernel.time);
  PODSIM_ASSIGN_OR_RETURN(
      const SimTime joins,
      AddSums(program, chip.program, slice, options, sums, parts));
  if (options.microbatches > 1)
    parts.earlier = PriceEarlierPasses(program, SumOf(times, 0, update) + joins,
                                       options, slice.chip());
  return parts;
}

absl::StatusOr<SimStep> ForecastStep(const Program& program, const Slice& slice,
                                     const StepOptions& options,
                                     SumPrices& sums) {
  PODSIM_ASSIGN_OR_RETURN(const ChipStep chip,
                          ChipStepFor(program, slice, options));
  PODSIM_ASSIGN_OR_RETURN(const StepParts parts,
                          PriceStep(program, chip, slice, options, sums));
  return OverlapStep(parts);
}

}  // namespace podsim
