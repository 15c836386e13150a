#include "runtime/forecast/forecast.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/core/pricer.h"
#include "runtime/job/geography.h"
#include "runtime/job/geography_bytes.h"

namespace podsim {
namespace {

// What nobody waits for, and SimTime can count.
constexpr double kMostSeconds = 1e6;

// The cores of a chip add theirs up in passing. Groups of chips are priced as
// the whole slice would be: the latency at most.
absl::StatusOr<SimTime> PriceExchange(const Program& program,
                                      const Segment& segment,
                                      const Slice& slice, SumPrices& sums) {
  if (segment.group > 0 && segment.group <= slice.chip().replicas_per_chip)
    return SimTime();
  PODSIM_ASSIGN_OR_RETURN(
      const SumPrice price,
      sums.Of(program.tensor(segment.tensor).shape.elements(), sizeof(float)));
  return price.time;
}

SimTime PriceInput(const Program& program, const Slice& slice,
                   std::int64_t batch_per_core) {
  const double bytes =
      static_cast<double>(program.input_bytes_per_row()) *
      static_cast<double>(batch_per_core * slice.chip().replicas_per_chip);
  return SimTime::Seconds(bytes / slice.chip().host_bytes_per_second_per_chip);
}

// All passes but the last, with the sums of their gradients: two are read and
// one is written.
SimTime PriceEarlierPasses(const Program& program,
                           const std::vector<Segment>& segments,
                           const StepOptions& options,
                           const ChipFigures& chip) {
  SimTime pass;
  for (const Segment& segment : segments)
    if (segment.kind == SegmentKind::kCompute)
      pass += PriceSegment(program, segment,
                           options.batch_per_core / options.microbatches, chip)
                  .time;
  std::int64_t gradients = 0;
  for (const GradientBucket& bucket : program.buckets)
    gradients += bucket.count;
  const SimTime sum =
      SimTime::Seconds(3.0 * sizeof(float) * static_cast<double>(gradients) /
                       (chip.hbm_bytes_per_second * chip.core_share));
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

absl::StatusOr<StepParts> PriceStep(const Program& program, const Slice& slice,
                                    const StepOptions& options,
                                    SumPrices& sums) {
  PODSIM_RETURN_IF_ERROR(CheckStep(program, options));
  const auto& segments = program.entries.at(EntryPoint::kTrainMicrobatch);
  const std::int64_t rows = options.batch_per_core / options.microbatches;
  StepParts parts;
  parts.input = PriceInput(program, slice, options.batch_per_core);
  if (options.store != nullptr)
    parts.store = PriceStore(*options.store, options.stored_example_bytes,
                             options.batch_per_core, slice);
  if (options.microbatches > 1)
    parts.segments.push_back(
        PriceEarlierPasses(program, segments, options, slice.chip()));
  for (const Segment& segment : segments) {
    const auto ended = static_cast<std::int32_t>(parts.segments.size());
    if (segment.kind == SegmentKind::kCompute) {
      parts.segments.push_back(
          PriceSegment(program, segment, rows, slice.chip()).time);
    } else if (segment.joins_tensor()) {
      PODSIM_ASSIGN_OR_RETURN(const SimTime time,
                              PriceExchange(program, segment, slice, sums));
      parts.exchanges.push_back({ended, time});
    } else {
      PODSIM_ASSIGN_OR_RETURN(const SumPrice sum,
                              sums.Of(program.buckets[segment.bucket].count,
                                      options.gradient_bytes));
      parts.buckets.push_back({ended, sum.time});
    }
  }
  parts.update = PriceEntry(program, EntryPoint::kUpdate,
                            options.batch_per_core, slice.chip())
                     .time;
  return parts;
}

absl::StatusOr<SimStep> ForecastStep(const Program& program, const Slice& slice,
                                     const StepOptions& options,
                                     SumPrices& sums) {
  PODSIM_ASSIGN_OR_RETURN(const StepParts parts,
                          PriceStep(program, slice, options, sums));
  return OverlapStep(parts);
}

}  // namespace podsim
