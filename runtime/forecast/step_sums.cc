#include "runtime/forecast/step_sums.h"

#include <algorithm>

#include "base/status.h"

namespace podsim {
namespace {

// The cores of a chip add theirs up in passing. Groups of chips are priced as
// the whole slice would be: the latency at most.
absl::StatusOr<StepParts::Sum> PriceExchange(const Program& program,
                                             const Segment& segment,
                                             const Slice& slice,
                                             SumPrices& sums) {
  if (segment.group > 0 && segment.group <= slice.chip().replicas_per_chip)
    return StepParts::Sum();
  const std::int64_t elements = program.tensor(segment.tensor).shape.elements();
  PODSIM_ASSIGN_OR_RETURN(const SumPrice price,
                          sums.Of(elements, sizeof(float)));
  return StepParts::Sum{
      .time = price.time, .elements = elements, .element_bytes = sizeof(float)};
}

// Adds what sums the gradients; with a sharded update each core gets the sums
// of its share, and the weights travel behind the update.
absl::Status AddGradientSums(const Program& program, const ChipProgram& chip,
                             const StepOptions& options, SumPrices& sums,
                             StepParts& parts) {
  const auto kernels = static_cast<std::int32_t>(chip.kernels.size());
  for (const CombinedGradients& each : CombineGradients(
           program, chip, options.combine_bytes / options.gradient_bytes)) {
    const Collective collective = options.sharded_update
                                      ? Collective::kReduceScatter
                                      : Collective::kAllReduce;
    PODSIM_ASSIGN_OR_RETURN(
        const SumPrice sum,
        sums.Of(each.elements, options.gradient_bytes, collective));
    parts.sums.push_back({.ready = each.ready,
                          .needed = each.needed,
                          .time = sum.time,
                          .collective = collective,
                          .elements = each.elements,
                          .element_bytes = options.gradient_bytes});
    if (!options.sharded_update) continue;
    PODSIM_ASSIGN_OR_RETURN(
        const SumPrice gather,
        sums.Of(each.elements, sizeof(float), Collective::kAllGather));
    parts.sums.push_back({.ready = kernels - 1,
                          .needed = kernels,
                          .time = gather.time,
                          .collective = Collective::kAllGather,
                          .elements = each.elements,
                          .element_bytes = sizeof(float)});
  }
  return absl::OkStatus();
}

// Adds what joins a tensor in mid-pass. Returns what all of them take.
absl::StatusOr<SimTime> AddExchanges(const Program& program,
                                     const ChipProgram& chip,
                                     const Slice& slice, SumPrices& sums,
                                     StepParts& parts) {
  SimTime all;
  auto collective = chip.collectives.begin();
  for (const Segment& segment :
       program.entries.at(EntryPoint::kTrainMicrobatch)) {
    if (segment.kind != SegmentKind::kAllReduce) continue;
    PODSIM_CHECK(collective != chip.collectives.end());
    const ChipCollective& each = *collective++;
    if (!segment.joins_tensor()) continue;
    PODSIM_ASSIGN_OR_RETURN(StepParts::Sum sum,
                            PriceExchange(program, segment, slice, sums));
    sum.ready = each.ready;
    sum.needed = each.needed;
    parts.sums.push_back(sum);
    all += sum.time;
  }
  return all;
}

}  // namespace

std::vector<CombinedGradients> CombineGradients(const Program& program,
                                                const ChipProgram& chip,
                                                std::int64_t most_elements) {
  std::vector<CombinedGradients> all;
  for (const ChipCollective& each : chip.collectives)
    if (each.bucket >= 0)
      all.push_back(
          {program.buckets[static_cast<std::size_t>(each.bucket)].count,
           each.ready, each.needed});
  std::stable_sort(all.begin(), all.end(),
                   [](const CombinedGradients& a, const CombinedGradients& b) {
                     return a.ready < b.ready;
                   });
  // What is needed is needed behind where it is ready, so of two the later one
  // alone may come too late for the earlier.
  std::vector<CombinedGradients> combined;
  for (const CombinedGradients& next : all) {
    if (combined.empty() || next.ready >= combined.back().needed ||
        combined.back().elements + next.elements > most_elements) {
      combined.push_back(next);
      continue;
    }
    CombinedGradients& last = combined.back();
    last.elements += next.elements;
    last.ready = next.ready;
    last.needed = std::min(last.needed, next.needed);
  }
  return combined;
}

absl::StatusOr<SimTime> AddSums(const Program& program, const ChipProgram& chip,
                                const Slice& slice, const StepOptions& options,
                                SumPrices& sums, StepParts& parts) {
  PODSIM_ASSIGN_OR_RETURN(const SimTime exchanges,
                          AddExchanges(program, chip, slice, sums, parts));
  PODSIM_RETURN_IF_ERROR(AddGradientSums(program, chip, options, sums, parts));
  std::stable_sort(parts.sums.begin(), parts.sums.end(),
                   [](const StepParts::Sum& a, const StepParts::Sum& b) {
                     return a.ready < b.ready;
                   });
  for (StepParts::Sum& sum : parts.sums)
    sum.holds_cores = !slice.chip().hides_all_reduces;
  return exchanges;
}

}  // namespace podsim
