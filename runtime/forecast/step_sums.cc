#include "runtime/forecast/step_sums.h"

#include <algorithm>
#include <utility>

#include "base/status.h"

namespace podsim {
namespace {

// As many as `most_elements` hold, of those that are ready before the ones
// ahead of them are needed. What is needed is needed behind where it is ready,
// so of two the later one alone may come too late for the earlier.
std::vector<CombinedSum> Combined(std::vector<CombinedSum> all,
                                  std::int64_t most_elements) {
  std::stable_sort(all.begin(), all.end(),
                   [](const CombinedSum& a, const CombinedSum& b) {
                     return a.ready < b.ready;
                   });
  std::vector<CombinedSum> combined;
  for (const CombinedSum& next : all) {
    if (combined.empty() || next.group != combined.back().group ||
        next.ready >= combined.back().needed ||
        combined.back().elements + next.elements > most_elements) {
      combined.push_back(next);
      continue;
    }
    CombinedSum& last = combined.back();
    last.elements += next.elements;
    last.ready = next.ready;
    last.needed = std::min(last.needed, next.needed);
  }
  return combined;
}

// The cores of a chip add theirs up in passing.
absl::StatusOr<StepParts::Sum> PriceJoin(const CombinedSum& join,
                                         const Slice& slice, SumPrices& sums) {
  StepParts::Sum sum = {.ready = join.ready, .needed = join.needed};
  if (join.group > 0 && join.group <= slice.chip().replicas_per_chip)
    return sum;
  PODSIM_ASSIGN_OR_RETURN(const SumPrice price,
                          sums.Of(join.elements, sizeof(float),
                                  Collective::kAllReduce, join.group));
  sum.time = price.time;
  sum.elements = join.elements;
  sum.element_bytes = sizeof(float);
  sum.group = join.group;
  return sum;
}

// Adds what sums the gradients; with a sharded update each core gets the sums
// of its share, and the weights travel behind the update.
absl::Status AddGradientSums(const Program& program, const ChipProgram& chip,
                             const StepOptions& options, SumPrices& sums,
                             StepParts& parts) {
  const auto kernels = static_cast<std::int32_t>(chip.kernels.size());
  for (const CombinedSum& each : CombineGradients(
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

// Adds what joins tensors in mid-pass. Returns what all of them take.
absl::StatusOr<SimTime> AddJoins(const Program& program,
                                 const ChipProgram& chip, const Slice& slice,
                                 const StepOptions& options, SumPrices& sums,
                                 StepParts& parts) {
  SimTime all;
  const auto most =
      options.combine_bytes / static_cast<std::int64_t>(sizeof(float));
  for (const CombinedSum& join : CombineJoins(program, chip, most)) {
    PODSIM_ASSIGN_OR_RETURN(const StepParts::Sum sum,
                            PriceJoin(join, slice, sums));
    parts.sums.push_back(sum);
    all += sum.time;
  }
  return all;
}

}  // namespace

std::vector<CombinedSum> CombineGradients(const Program& program,
                                          const ChipProgram& chip,
                                          std::int64_t most_elements) {
  std::vector<CombinedSum> all;
  for (const ChipCollective& each : chip.collectives)
    if (each.bucket >= 0)
      all.push_back(
          {program.buckets[static_cast<std::size_t>(each.bucket)].count,
           each.ready, each.needed});
  return Combined(std::move(all), most_elements);
}

std::vector<CombinedSum> CombineJoins(const Program& program,
                                      const ChipProgram& chip,
                                      std::int64_t most_elements) {
  std::vector<CombinedSum> all;
  auto collective = chip.collectives.begin();
  for (const Segment& segment :
       program.entries.at(EntryPoint::kTrainMicrobatch)) {
    if (segment.kind != SegmentKind::kAllReduce) continue;
    PODSIM_CHECK(collective != chip.collectives.end());
    const ChipCollective& each = *collective++;
    if (segment.joins_tensor())
      all.push_back({program.tensor(segment.tensor).shape.elements(),
                     each.ready, each.needed, segment.group});
  }
  return Combined(std::move(all), most_elements);
}

absl::StatusOr<SimTime> AddSums(const Program& program, const ChipProgram& chip,
                                const Slice& slice, const StepOptions& options,
                                SumPrices& sums, StepParts& parts) {
  PODSIM_ASSIGN_OR_RETURN(const SimTime joins,
                          AddJoins(program, chip, slice, options, sums, parts));
  PODSIM_RETURN_IF_ERROR(AddGradientSums(program, chip, options, sums, parts));
  std::stable_sort(parts.sums.begin(), parts.sums.end(),
                   [](const StepParts::Sum& a, const StepParts::Sum& b) {
                     return a.ready < b.ready;
                   });
  for (StepParts::Sum& sum : parts.sums)
    sum.holds_cores = !slice.chip().hides_all_reduces;
  return joins;
}

}  // namespace podsim
