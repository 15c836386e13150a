#include "interconnect/timing/fold.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/status.h"
#include "interconnect/topology/grid_ring.h"

namespace podsim {
namespace {

using Axes = std::array<bool, kMostAxes>;

// The axes along which every chip does the same.
Axes AlikeAxes(const ChipRequest& request, const Network& network) {
  Axes alike = {};
  if (!network.faults.empty()) return alike;
  const Grid& grid = network.grid;
  const bool torus = request.algorithm == ChipAlgorithm::kTorus ||
                     request.algorithm == ChipAlgorithm::kTorusAll;
  const bool direct = request.algorithm == ChipAlgorithm::kDirect;
  if ((!torus && !direct) || request.collective == Collective::kBroadcast)
    return alike;
  for (int axis = 0; axis < kMostAxes; ++axis)
    alike[axis] = grid.closes(axis) && !(torus && grid.is_short(axis));
  return alike;
}

// How chips stand for each other: all along some axes, or mirror images. Only
// one of the two has any.
struct Likeness {
  Axes alike = {};
  Axes mirrored = {};
};

Likeness LikenessOf(const ChipRequest& request, const Network& network) {
  Likeness likeness = {.alike = AlikeAxes(request, network)};
  if (request.algorithm == ChipAlgorithm::kDirect &&
      request.collective != Collective::kBroadcast && network.faults.empty())
    likeness.mirrored = MirrorAxes(network.grid);
  return likeness;
}

// The halves that a chip is mirrored out of.
Axes TurnedOf(const Grid& grid, const Likeness& likeness, Coordinate place) {
  Axes upper = IsMirrored(grid, place);
  for (int axis = 0; axis < kMostAxes; ++axis)
    upper[axis] = upper[axis] && likeness.mirrored[axis];
  return upper;
}

Coordinate Representative(const Grid& grid, const Likeness& likeness,
                          Coordinate place) {
  place = Mirrored(grid, TurnedOf(grid, likeness, place), place);
  const Axes& alike = likeness.alike;
  return {alike[0] ? 0 : place.x, alike[1] ? 0 : place.y,
          alike[2] ? 0 : place.z};
}

// Peers of a plan, ascending: as PlanIndex has them.
std::vector<int> PeersOf(const RankPlan& plan) {
  std::set<int> peers;
  for (const PlanOp& op : plan.ops)
    if (!IsLocal(op.kind)) peers.insert(op.peer);
  return {peers.begin(), peers.end()};
}

// The sender as the chip that stands for the receiver sees it.
int SenderSeenFrom(const Grid& grid, const Likeness& likeness, int from, int to,
                   const Offset& steps) {
  const Coordinate receiver = PlaceOf(grid.size, to);
  const Coordinate stands = Representative(grid, likeness, receiver);
  if (stands == receiver) return from;
  const Axes turned = TurnedOf(grid, likeness, receiver);
  if (turned != Axes())
    return IndexOf(grid.size, Mirrored(grid, turned, PlaceOf(grid.size, from)));
  Offset back = steps;
  for (int& step : back) step = -step;
  return IndexOf(grid.size, Walk(grid, stands, back));
}

absl::StatusOr<SimPath> PathTo(const FoldedRun& run, const Network& network,
                               int from, int to, const Likeness& likeness) {
  PODSIM_ASSIGN_OR_RETURN(const Route route, RouteBetween(network, from, to));
  const Grid& grid = network.grid;
  SimPath path;
  path.steps = route.steps;
  const bool mirrors = MirrorAxes(grid) != Axes();
  for (const std::int32_t link : route.links) {
    path.links.push_back(run.link_of[link]);
    if (mirrors)
      path.turned.push_back(
          IsMirrored(grid, PlaceOf(grid.size, link / kDirections)));
  }
  path.to = run.rank_of_chip[to];
  path.from = SenderSeenFrom(grid, likeness, from, to, route.steps);
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

absl::StatusOr<FoldedRun> FoldAxes(const ChipRequest& request,
                                   const Network& network,
                                   const Likeness& likeness) {
  FoldedRun run;
  std::vector<int> chips;
  NumberRanks(network, likeness, run, chips);
  for (const int chip : chips) {
    SimRank rank;
    PODSIM_ASSIGN_OR_RETURN(rank.plan, MakeChipPlan(request, chip));
    for (const int peer : PeersOf(rank.plan)) {
      PODSIM_ASSIGN_OR_RETURN(SimPath path,
                              PathTo(run, network, chip, peer, likeness));
      rank.paths.push_back(std::move(path));
    }
    run.ranks.push_back(std::move(rank));
  }
  return run;
}

// Rings of three chips or more in which each step is one wire.
bool IsRingOfNeighbours(const ChipRequest& request, const Network& network) {
  const bool ring = request.algorithm == ChipAlgorithm::kRing ||
                    request.algorithm == ChipAlgorithm::kBidirRing;
  if (!ring || request.collective == Collective::kBroadcast ||
      !network.faults.empty() || network.grid.chips() < 3)
    return false;
  const std::vector<Coordinate> order = GridRing(network.grid.size);
  for (std::size_t i = 0; i < order.size(); ++i)
    if (Distance(ShortestOffset(network.grid, order[i],
                                order[(i + 1) % order.size()])) != 1)
      return false;
  return true;
}

// One chip stands for all; link 0 leads to the next, link 1 to the one before.
absl::StatusOr<FoldedRun> FoldRing(const ChipRequest& request) {
  const GridSize& size = request.grid.size;
  const std::vector<Coordinate> order = GridRing(size);
  const int self = IndexOf(size, order[0]);
  const int next = IndexOf(size, order[1]);
  const int last = IndexOf(size, order.back());
  FoldedRun run;
  run.rank_of_chip.assign(size.places(), 0);
  run.links = kRingLinks;
  SimRank& rank = run.ranks.emplace_back();
  PODSIM_ASSIGN_OR_RETURN(rank.plan, MakeChipPlan(request, self));
  for (const int peer : PeersOf(rank.plan)) {
    const bool ahead = peer == next;
    PODSIM_CHECK(ahead || peer == last);
    rank.paths.push_back(
        {.links = {ahead ? 0 : 1}, .to = 0, .from = ahead ? last : next});
  }
  return run;
}

}  // namespace

absl::StatusOr<FoldedRun> FoldRun(const ChipRequest& request,
                                  const Network& network, bool whole) {
  if (!whole && IsRingOfNeighbours(request, network)) return FoldRing(request);
  return FoldAxes(request, network,
                  whole ? Likeness() : LikenessOf(request, network));
}

}  // namespace podsim
