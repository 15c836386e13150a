#include "interconnect/timing/network_run.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "interconnect/timing/simulation.h"

namespace podsim {
namespace {

absl::Status CheckMessages(const ChipRequest& request, const Network& network) {
  constexpr std::int64_t kMostMessages = std::int64_t{1} << 22;
  const std::int64_t messages = SimulatedMessages(request, network);
  if (messages <= kMostMessages) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      std::string(NameOf(request.collective)), " by ",
      std::string(NameOf(request.algorithm)), " among ", request.grid.chips(),
      " chips that do not all do the same is ", messages,
      " messages, more than the ", kMostMessages,
      " that are simulated: take a smaller slice, another algorithm, or "
      "neither "
      "a slow link nor a mesh"));
}

// From the ranks of the simulation to the chips that they stand for.
NetworkRun SpreadOver(const FoldedRun& fold, const SimResult& result) {
  NetworkRun run = {.time = result.time, .events = result.events};
  run.ends.reserve(fold.rank_of_chip.size());
  for (const int rank : fold.rank_of_chip)
    run.ends.push_back(result.ends[rank]);
  run.sent.reserve(fold.link_of.size());
  run.busy.reserve(fold.link_of.size());
  for (const std::int32_t link : fold.link_of) {
    run.sent.push_back(result.sent[link]);
    run.busy.push_back(result.busy[link]);
  }
  return run;
}

}  // namespace

absl::StatusOr<NetworkPlan> NetworkPlan::Make(const ChipRequest& request,
                                              const Network& network,
                                              int element_bytes, bool whole) {
  NetworkPlan plan;
  plan.request_ = request;
  plan.network_ = network;
  plan.element_bytes_ = element_bytes;
  std::optional<RingWay> way =
      whole ? std::nullopt : RingWayOf(request, network);
  if (way) {
    PODSIM_ASSIGN_OR_RETURN(
        RingPlan ring,
        PlanRing(request, network, *std::move(way), element_bytes));
    plan.ring_ = std::make_shared<const RingPlan>(std::move(ring));
    return plan;
  }
  PODSIM_RETURN_IF_ERROR(CheckMessages(request, network));
  PODSIM_ASSIGN_OR_RETURN(FoldedRun fold,
                          FoldRun(request, network, element_bytes, whole));
  plan.fold_ = std::make_shared<const FoldedRun>(std::move(fold));
  return plan;
}

absl::StatusOr<std::vector<LinkMessage>> NetworkPlan::Messages(
    const LinkFigures& links) const {
  if (network_.grid.chips() > kMostMessageChips)
    return absl::ResourceExhaustedError(
        absl::StrCat("messages among ", network_.grid.chips(),
                     " chips are not told one by one, up to ",
                     kMostMessageChips, " chips they are"));
  PODSIM_ASSIGN_OR_RETURN(
      const FoldedRun fold,
      FoldRun(request_, network_, element_bytes_, /*whole=*/true));
  const SimLinks sim = {.count = fold.links,
                        .bytes_per_second = links.bytes_per_second,
                        .hop = links.hop,
                        .rates = fold.rates};
  std::vector<SimCrossing> crossings;
  PODSIM_RETURN_IF_ERROR(Simulate(fold.ranks, sim, &crossings).status());
  // Each link of the slice is one of the simulation's.
  std::vector<std::int32_t> link_at(static_cast<std::size_t>(fold.links), -1);
  for (std::size_t link = 0; link < fold.link_of.size(); ++link)
    link_at[static_cast<std::size_t>(fold.link_of[link])] =
        static_cast<std::int32_t>(link);
  std::vector<int> chip_at(fold.ranks.size(), 0);
  for (std::size_t chip = 0; chip < fold.rank_of_chip.size(); ++chip)
    chip_at[static_cast<std::size_t>(fold.rank_of_chip[chip])] =
        static_cast<int>(chip);
  std::vector<LinkMessage> messages;
  messages.reserve(crossings.size());
  for (const SimCrossing& each : crossings)
    messages.push_back({.link = link_at[static_cast<std::size_t>(each.link)],
                        .from = chip_at[static_cast<std::size_t>(each.rank)],
                        .bytes = each.bytes,
                        .begin = each.begin,
                        .end = each.end});
  return messages;
}

absl::StatusOr<NetworkRun> NetworkPlan::Run(const LinkFigures& links) const {
  if (ring_ != nullptr) return RunRing(*ring_, links);
  const SimLinks sim = {.count = fold_->links,
                        .bytes_per_second = links.bytes_per_second,
                        .hop = links.hop,
                        .rates = fold_->rates};
  PODSIM_ASSIGN_OR_RETURN(const SimResult result, Simulate(fold_->ranks, sim));
  return SpreadOver(*fold_, result);
}

std::int64_t SimulatedMessages(const ChipRequest& request,
                               const Network& network) {
  const std::int64_t everyone =
      std::int64_t{FoldedRanks(request, network)} * network.grid.chips();
  switch (request.algorithm) {
    case ChipAlgorithm::kDirect:
      return everyone;
    case ChipAlgorithm::kRing:
    case ChipAlgorithm::kBidirRing:
      // Two phases, two pieces.
      return RingWayOf(request, network) ? 0 : 4 * everyone;
    default:
      return 0;
  }
}

}  // namespace podsim
