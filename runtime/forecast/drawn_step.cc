#include "runtime/forecast/drawn_step.h"

#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "chip/explain.h"
#include "interconnect/timing/pricing.h"
#include "interconnect/topology/grid.h"
#include "interconnect/topology/group_slice.h"
#include "job/plan_program.h"
#include "runtime/forecast/forecast.h"
#include "runtime/forecast/job_options.h"
#include "runtime/forecast/overlap_step.h"

namespace podsim {
namespace {

// Messages on a grid at the beginning of `whole`, by whose numbers of links and
// chips they go from here on.
void MoveInto(const GridSize& whole, const GridSize& part,
              std::vector<LinkMessage>& messages) {
  const auto chip = [&](int of_part) {
    return IndexOf(whole, PlaceOf(part, of_part));
  };
  for (LinkMessage& message : messages) {
    message.from = chip(message.from);
    message.link = kDirections * chip(message.link / kDirections) +
                   message.link % kDirections;
  }
}

// Messages of sums by what travels: those of one size are alike.
class SumMessages {
 public:
  SumMessages(const Slice& slice, std::optional<ChipAlgorithm> algorithm)
      : slice_(slice), algorithm_(algorithm) {}

  struct Known {
    SimTime software;  // before the first of them
    std::vector<LinkMessage> messages;
  };

  // Errors: those of PriceCollective and NetworkPlan::Messages.
  absl::StatusOr<const Known*> Of(const StepParts::Sum& sum) {
    const auto [at, is_new] = known_.try_emplace(
        {sum.group, sum.collective, sum.elements, sum.element_bytes});
    if (!is_new) return &at->second;
    const Slice group = GroupOf(slice_, sum.group);
    const PriceRequest request = {
        .collective = sum.collective,
        .algorithm = sum.collective == Collective::kAllReduce ? algorithm_
                                                              : std::nullopt,
        .bytes = sum.elements * sum.element_bytes,
        .element_bytes = sum.element_bytes};
    PODSIM_ASSIGN_OR_RETURN(const Price price, PriceCollective(group, request));
    PODSIM_ASSIGN_OR_RETURN(at->second.messages,
                            price.plan->Messages(NetworkOf(group).links));
    if (sum.group != 0) MoveInto(slice_.grid, group.grid, at->second.messages);
    at->second.software = price.software;
    return &at->second;
  }

 private:
  const Slice& slice_;
  const std::optional<ChipAlgorithm> algorithm_;
  std::map<std::tuple<int, Collective, std::int64_t, int>, Known> known_;
};

std::string SumName(const StepParts::Sum& sum, std::int32_t index) {
  return absl::StrCat(std::string(NameOf(sum.collective)), " ", index);
}

// What chips of the slice, or of its first group, say to each other in a sum
// that begins at `begin`.
absl::Status AddMessages(const Slice& slice, const StepParts::Sum& sum,
                         SimTime begin, SumMessages& of, DrawnStep& step) {
  if (sum.elements == 0 || slice.chips == 1) return absl::OkStatus();
  PODSIM_ASSIGN_OR_RETURN(const SumMessages::Known* known, of.Of(sum));
  const Grid grid = GridOf(slice);
  for (const LinkMessage& each : known->messages) {
    step.links.try_emplace(each.link, LinkText(grid, each.link));
    step.messages.push_back({.kind = SpanKind::kSend,
                             .link = each.link,
                             .begin = begin + known->software + each.begin,
                             .end = begin + known->software + each.end,
                             .bytes = each.bytes,
                             .name = absl::StrCat("from chip ", each.from)});
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<DrawnStep> DrawStep(const JobPlan& plan, const Slice& slice) {
  PODSIM_CHECK(plan.bits().slice() == slice.name);
  PODSIM_ASSIGN_OR_RETURN(const Program program, ProgramOf(plan));
  const StepOptions options = StepOptionsOf(plan, plan.bits().batch_per_core());
  const std::optional<ChipAlgorithm> algorithm = AskedAlgorithm(plan.spec());
  SumPrices prices(slice, algorithm);
  PODSIM_ASSIGN_OR_RETURN(const ChipStep chip,
                          ChipStepFor(program, slice, options));
  PODSIM_ASSIGN_OR_RETURN(const StepParts parts,
                          PriceStep(program, chip, slice, options, prices));
  const ChipExplanation explained =
      ExplainStep(chip, options.rows(), slice.chip());
  DrawnStep step = {.input = parts.input,
                    .store = parts.store,
                    .fixed = parts.fixed,
                    .total = OverlapStep(parts).total};
  SumMessages messages(slice, algorithm);
  for (const SimSpan& span : TimelineOf(parts)) {
    const auto index = static_cast<std::size_t>(span.index);
    const auto [begin, end] = span.time;
    SimulatedSpan drawn = {.kind = SpanKind::kCompute,
                           .cores = slice.replicas,
                           .begin = begin,
                           .end = end,
                           .name = {}};
    switch (span.kind) {
      case SimSpan::Kind::kEarlier:
        drawn.name = "passes before the last";
        step.kernels.push_back(std::move(drawn));
        break;
      case SimSpan::Kind::kKernel:
        drawn.name = NameText(explained.kernels[index].name);
        step.kernels.push_back(std::move(drawn));
        break;
      case SimSpan::Kind::kSum: {
        const StepParts::Sum& sum = parts.sums[index];
        drawn.kind = SpanKind::kCollective;
        drawn.bytes = sum.elements * sum.element_bytes;
        drawn.name = SumName(sum, span.index);
        step.sums.push_back(std::move(drawn));
        if (!step.no_messages.empty()) break;
        const absl::Status added =
            AddMessages(slice, sum, begin, messages, step);
        if (added.ok()) break;
        step.messages.clear();
        step.no_messages = std::string(added.message());
        break;
      }
    }
  }
  return step;
}

}  // namespace podsim
