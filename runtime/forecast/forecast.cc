#include "runtime/forecast/forecast.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/core/pricer.h"

namespace podsim {

double SimStep::ExamplesPerSecond(std::int64_t global_batch) const {
  return static_cast<double>(global_batch) / total.seconds();
}

SimStep OverlapStep(const StepParts& parts) {
  SimStep step;
  step.input = parts.input;
  step.update = parts.update;
  std::vector<SimTime> ended = {SimTime()};  // after 0, 1, ... segments
  auto exchange = parts.exchanges.begin();
  for (const SimTime segment : parts.segments) {
    step.compute += segment;
    ended.push_back(ended.back() + segment);
    const auto count = static_cast<std::int32_t>(ended.size()) - 1;
    for (;
         exchange != parts.exchanges.end() && exchange->after_segments == count;
         ++exchange) {
      step.communication += exchange->all_reduce;
      ended.back() += exchange->all_reduce;
    }
  }
  PODSIM_CHECK(exchange == parts.exchanges.end());
  SimTime wire_free;
  for (const StepParts::Bucket& bucket : parts.buckets) {
    PODSIM_CHECK(bucket.after_segments >= 0 &&
                 bucket.after_segments <
                     static_cast<std::int32_t>(ended.size()));
    wire_free =
        std::max(wire_free, ended[bucket.after_segments]) + bucket.all_reduce;
    step.communication += bucket.all_reduce;
  }
  const SimTime reduced = std::max(ended.back(), wire_free);
  step.exposed_communication = reduced - step.compute;
  step.total = std::max(step.input, reduced + step.update);
  return step;
}

namespace {

// An all-reduce by the algorithm that takes the least time.
absl::StatusOr<SimTime> PriceSum(const Slice& slice, std::int64_t elements,
                                 int element_bytes) {
  PODSIM_ASSIGN_OR_RETURN(
      const Price price,
      PriceCollective(slice, {.collective = Collective::kAllReduce,
                              .bytes = elements * element_bytes,
                              .element_bytes = element_bytes}));
  return price.time;
}

// The cores of a chip add theirs up in passing. Groups of chips are priced as
// the whole slice would be: the ring's latency at most.
absl::StatusOr<SimTime> PriceExchange(const Program& program,
                                      const Segment& segment,
                                      const Slice& slice) {
  if (segment.group > 0 && segment.group <= slice.chip().replicas_per_chip)
    return SimTime();
  return PriceSum(slice, program.tensor(segment.tensor).shape.elements(),
                  sizeof(float));
}

}  // namespace

absl::StatusOr<StepParts> PriceStep(const Program& program, const Slice& slice,
                                    std::int64_t batch_per_core,
                                    const ForecastOptions& options) {
  if (batch_per_core < 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "forecast with batch per core ", batch_per_core, ": must be >= 1"));
  }
  const auto train = program.entries.find(EntryPoint::kTrainMicrobatch);
  if (train == program.entries.end()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "forecast of ", program.name, ": the program does not train"));
  }
  StepParts parts;
  const double input_bytes =
      static_cast<double>(program.input_bytes_per_row()) *
      static_cast<double>(batch_per_core * slice.chip().replicas_per_chip);
  parts.input = SimTime::Seconds(input_bytes /
                                 slice.chip().host_bytes_per_second_per_chip);
  for (const Segment& segment : train->second) {
    if (segment.kind == SegmentKind::kCompute) {
      parts.segments.push_back(
          PriceSegment(program, segment, batch_per_core, slice.chip()).time);
      continue;
    }
    if (segment.joins_tensor()) {
      PODSIM_ASSIGN_OR_RETURN(const SimTime time,
                              PriceExchange(program, segment, slice));
      parts.exchanges.push_back(
          {static_cast<std::int32_t>(parts.segments.size()), time});
      continue;
    }
    PODSIM_ASSIGN_OR_RETURN(
        const SimTime time,
        PriceSum(slice, program.buckets[segment.bucket].count,
                 options.gradient_bytes));
    parts.buckets.push_back(
        {static_cast<std::int32_t>(parts.segments.size()), time});
  }
  parts.update =
      PriceEntry(program, EntryPoint::kUpdate, batch_per_core, slice.chip())
          .time;
  return parts;
}

absl::StatusOr<SimStep> ForecastStep(const Program& program, const Slice& slice,
                                     std::int64_t batch_per_core,
                                     const ForecastOptions& options) {
  PODSIM_ASSIGN_OR_RETURN(const StepParts parts,
                          PriceStep(program, slice, batch_per_core, options));
  return OverlapStep(parts);
}

}  // namespace podsim
