#include "interconnect/timing/fold.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <utility>

#include "base/status.h"

namespace podsim {
namespace {

using Axes = std::array<bool, kMostAxes>;

// What makes chips alike: along some axes all do the same, along others a chip
// and its mirror image.
struct Likeness {
  Axes same = {};
  Axes mirrored = {};
};

// Of the plans; a faulty wire makes chips of one plan end at different times.
Likeness LikenessOf(const ChipRequest& request) {
  Likeness likeness;
  const Grid& grid = request.grid;
  const bool torus = request.algorithm == ChipAlgorithm::kTorus ||
                     request.algorithm == ChipAlgorithm::kTorusAll;
  const bool direct = request.algorithm == ChipAlgorithm::kDirect;
  if ((!torus && !direct) || request.collective == Collective::kBroadcast)
    return likeness;
  for (int axis = 0; axis < kMostAxes; ++axis) {
    likeness.same[axis] = grid.closes(axis) && !(torus && grid.is_short(axis));
    // Ways of a direct plan that wrap are not mirrored along other axes.
    likeness.mirrored[axis] = !grid.closes(axis) &&
                              grid.length(axis) % 2 == 0 &&
                              (torus || IsMesh(grid));
  }
  return likeness;
}

// The halves that a chip is mirrored out of.
Axes TurnedOf(const Grid& grid, const Likeness& likeness, Coordinate place) {
  Axes upper = UpperHalves(grid, place);
  for (int axis = 0; axis < kMostAxes; ++axis)
    upper[axis] = upper[axis] && likeness.mirrored[axis];
  return upper;
}

// The one chip that stands for all that are like this one.
Coordinate Representative(const Grid& grid, const Likeness& likeness,
                          Coordinate place) {
  place = Mirrored(grid, TurnedOf(grid, likeness, place), place);
  const Axes& same = likeness.same;
  return {same[0] ? 0 : place.x, same[1] ? 0 : place.y, same[2] ? 0 : place.z};
}

Offset Backwards(Offset steps) {
  for (int& step : steps) step = -step;
  return steps;
}

// The sender as the chip that stands for the receiver sees it.
int SenderSeenFrom(const Grid& grid, const Likeness& likeness, int from,
                   int to) {
  const Coordinate receiver = PlaceOf(grid.size, to);
  const Coordinate stands = Representative(grid, likeness, receiver);
  if (stands == receiver) return from;
  const Offset back =
      Backwards(ShortestOffset(grid, PlaceOf(grid.size, from), receiver));
  const Axes turned = TurnedOf(grid, likeness, receiver);
  return IndexOf(grid.size, Walk(grid, stands, Mirrored(turned, back)));
}

// A peer of the chip that stands for `chip`, as `chip` has it.
int PeerSeenFrom(const Grid& grid, const Likeness& likeness, int chip,
                 int peer) {
  const Coordinate place = PlaceOf(grid.size, chip);
  const Coordinate stands = Representative(grid, likeness, place);
  if (stands == place) return peer;
  const Offset steps = ShortestOffset(grid, stands, PlaceOf(grid.size, peer));
  const Axes turned = TurnedOf(grid, likeness, place);
  return IndexOf(grid.size, Walk(grid, place, Mirrored(turned, steps)));
}

absl::StatusOr<SimPath> PathTo(const FoldedRun& run, const Network& network,
                               int from, int to, const Likeness& likeness) {
  PODSIM_ASSIGN_OR_RETURN(const Route route, RouteBetween(network, from, to));
  const Grid& grid = network.grid;
  SimPath path;
  path.steps = route.steps;
  path.hops.reserve(route.links.size());
  for (const std::int32_t link : route.links) {
    const Axes turned =
        IsMirrored(grid, PlaceOf(grid.size, link / kDirections));
    path.hops.push_back(
        {.link = static_cast<std::uint32_t>(run.link_of[link]),
         .turned = turned[0] + 2U * turned[1] + 4U * turned[2]});
  }
  path.to = run.rank_of_chip[to];
  path.from = SenderSeenFrom(grid, likeness, from, to);
  return path;
}

void NumberRanks(const Network& network, const Likeness& likeness,
                 FoldedRun& run, std::vector<int>& chips) {
  const Grid& grid = network.grid;
  run.rank_of_chip.assign(grid.chips(), -1);
  run.link_of.assign(std::size_t{kDirections} * grid.chips(), -1);
  // Every chip comes after the one that stands for it.
  for (int chip = 0; chip < grid.chips(); ++chip) {
    const Coordinate place = PlaceOf(grid.size, chip);
    const int stands =
        IndexOf(grid.size, Representative(grid, likeness, place));
    if (stands == chip) {
      run.rank_of_chip[chip] = static_cast<int>(chips.size());
      chips.push_back(chip);
    } else {
      run.rank_of_chip[chip] = run.rank_of_chip[stands];
    }
    const Axes turned = TurnedOf(grid, likeness, place);
    for (int direction = 0; direction < kDirections; ++direction)
      run.link_of[kDirections * chip + direction] =
          kDirections * run.rank_of_chip[chip] +
          (turned[direction / 2] ? direction ^ 1 : direction);
  }
  run.links = kDirections * static_cast<int>(chips.size());
  if (network.faults.empty()) return;
  for (const int chip : chips)
    for (int direction = 0; direction < kDirections; ++direction)
      run.rates.push_back(RateOf(network, kDirections * chip + direction));
}

}  // namespace

absl::StatusOr<FoldedRun> FoldRun(const ChipRequest& request,
                                  const Network& network, int element_bytes,
                                  bool whole) {
  const Grid& grid = network.grid;
  const Likeness plans = whole ? Likeness() : LikenessOf(request);
  FoldedRun run;
  std::vector<int> chips;
  NumberRanks(network, network.faults.empty() ? plans : Likeness(), run, chips);
  run.ranks.reserve(chips.size());
  std::map<int, std::shared_ptr<const SimPlan>> plan_of;
  for (const int chip : chips) {
    const int stands = IndexOf(
        grid.size, Representative(grid, plans, PlaceOf(grid.size, chip)));
    std::shared_ptr<const SimPlan>& plan = plan_of[stands];
    if (plan == nullptr) {
      PODSIM_ASSIGN_OR_RETURN(const RankPlan made,
                              MakeChipPlan(request, stands));
      PODSIM_ASSIGN_OR_RETURN(SimPlan read, SimPlanOf(made, element_bytes));
      plan = std::make_shared<const SimPlan>(std::move(read));
    }
    SimRank& rank = run.ranks.emplace_back();
    rank.plan = plan;
    for (const PlanIndex::Peer& peer : plan->index.peers) {
      const int to = PeerSeenFrom(grid, plans, chip, peer.rank);
      PODSIM_ASSIGN_OR_RETURN(SimPath path,
                              PathTo(run, network, chip, to, plans));
      rank.paths.push_back(std::move(path));
    }
  }
  return run;
}

int FoldedRanks(const ChipRequest& request, const Network& network) {
  if (!network.faults.empty()) return network.grid.chips();
  const Likeness plans = LikenessOf(request);
  int ranks = 1;
  for (int axis = 0; axis < kMostAxes; ++axis)
    if (!plans.same[axis])
      ranks *= network.grid.length(axis) / (plans.mirrored[axis] ? 2 : 1);
  return ranks;
}

}  // namespace podsim
