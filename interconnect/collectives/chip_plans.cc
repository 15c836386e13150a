#include "interconnect/collectives/chip_plans.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "interconnect/collectives/torus_plans.h"
#include "interconnect/topology/grid_ring.h"

namespace podsim {
namespace {

constexpr std::array kAll = {ChipAlgorithm::kRing,
                             ChipAlgorithm::kBidirRing,
                             ChipAlgorithm::kTorus,
                             ChipAlgorithm::kTorusAll,
                             ChipAlgorithm::kHalvingDoubling,
                             ChipAlgorithm::kDirect};
constexpr std::array<std::string_view, kAll.size()> kNames = {
    "ring", "bidir_ring", "torus", "torus_all", "halving_doubling", "direct"};

// A ring passes a segment on in so many pieces, so that the next one is under
// way while the first is awaited.
constexpr std::int64_t kRingPieces = 2;
constexpr std::int64_t kLeastElements = 512;

bool IsTorus(ChipAlgorithm algorithm) {
  return algorithm == ChipAlgorithm::kTorus ||
         algorithm == ChipAlgorithm::kTorusAll;
}

bool IsRing(ChipAlgorithm algorithm) {
  return algorithm == ChipAlgorithm::kRing ||
         algorithm == ChipAlgorithm::kBidirRing;
}

std::vector<int> InOrder(int chips) {
  std::vector<int> order(chips);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// The algorithm among ranks that knows no grid.
Algorithm RankAlgorithm(ChipAlgorithm algorithm) {
  switch (algorithm) {
    case ChipAlgorithm::kRing:
      return Algorithm::kRing;
    case ChipAlgorithm::kBidirRing:
      return Algorithm::kBidirRing;
    case ChipAlgorithm::kHalvingDoubling:
      return Algorithm::kHalvingDoubling;
    case ChipAlgorithm::kDirect:
      return Algorithm::kDirect;
    default:
      return Algorithm::kRing;  // a torus of one chip
  }
}

std::int64_t ChunkOf(const ChipRequest& request) {
  if (!IsRing(request.algorithm))
    return std::max<std::int64_t>(1, request.elements);
  const std::int64_t segment = request.elements / request.grid.chips();
  const std::int64_t pieces = request.collective == Collective::kBroadcast
                                  ? request.grid.chips() * kRingPieces
                                  : kRingPieces;
  const std::int64_t whole =
      request.collective == Collective::kBroadcast ? request.elements : segment;
  return std::max(kLeastElements, (whole + pieces - 1) / pieces);
}

PlanRequest RankRequest(const ChipRequest& request, int chip) {
  PlanRequest plan;
  plan.collective = request.collective;
  plan.algorithm = RankAlgorithm(request.algorithm);
  plan.ring = IsRing(request.algorithm) ? RingOf(request.grid.size)
                                        : InOrder(request.grid.chips());
  plan.elements = request.elements;
  plan.chunk_elements = ChunkOf(request);
  plan.root = request.root;
  plan.halving_shares = true;
  const bool is_short = request.form == ChipForm::kShort;
  plan.whole_elements = is_short ? request.elements : 0;
  plan.one_step_elements = is_short ? request.elements : 0;
  if (request.algorithm == ChipAlgorithm::kDirect)
    plan.peers = DirectPeers(request.grid, chip);
  return plan;
}

// "direct", "ring or torus": what does the collective.
std::string ChipNamesFor(Collective collective) {
  std::vector<std::string> names;
  for (const ChipAlgorithm algorithm : AllChipAlgorithms())
    if (Supports(collective, algorithm)) names.emplace_back(NameOf(algorithm));
  return absl::StrJoin(names, " or ");
}

absl::Status CheckChips(const ChipRequest& request, int chip) {
  const int chips = request.grid.chips();
  std::string wrong;
  if (!Supports(request.collective, request.algorithm))
    wrong = absl::StrCat("is not done so; give --ici_algorithm=",
                         ChipNamesFor(request.collective), ", or auto");
  else if (chip < 0 || chip >= chips)
    wrong = absl::StrCat("chip ", chip, ": must be 0..", chips - 1);
  else if (request.root < 0 || request.root >= chips)
    wrong = absl::StrCat("root ", request.root, ": must be 0..", chips - 1);
  else if (request.elements < 0 || request.elements > kMostElements)
    wrong =
        absl::StrCat(request.elements, " elements: must be 0..", kMostElements);
  if (wrong.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(std::string(NameOf(request.collective)), " by ",
                   std::string(NameOf(request.algorithm)), ": ", wrong));
}

}  // namespace

std::string_view NameOf(ChipAlgorithm algorithm) {
  return kNames.at(static_cast<std::size_t>(algorithm));
}

std::optional<ChipAlgorithm> ChipAlgorithmNamed(std::string_view name) {
  for (const ChipAlgorithm algorithm : kAll)
    if (NameOf(algorithm) == name) return algorithm;
  return std::nullopt;
}

std::span<const ChipAlgorithm> AllChipAlgorithms() { return kAll; }

bool Supports(Collective collective, ChipAlgorithm algorithm) {
  if (!IsTorus(algorithm))
    return Supports(collective, RankAlgorithm(algorithm));
  return collective != Collective::kAllToAll &&
         collective != Collective::kBarrier;
}

bool HasShortForm(const ChipRequest& request) {
  ChipRequest in_waves = request;
  in_waves.form = ChipForm::kLong;
  if (IsTorus(request.algorithm)) return WavesOf(in_waves) > 1;
  return request.collective == Collective::kAllReduce &&
         request.grid.chips() > 1 &&
         (request.algorithm == ChipAlgorithm::kHalvingDoubling ||
          request.algorithm == ChipAlgorithm::kDirect);
}

std::int64_t EvenElements(const ChipRequest& request) {
  const std::int64_t chips = request.grid.chips();
  const std::int64_t unit =
      IsTorus(request.algorithm) && chips > 1          ? TorusUnit(request)
      : request.algorithm == ChipAlgorithm::kBidirRing ? 2 * chips
                                                       : chips;
  return (request.elements + unit - 1) / unit * unit;
}

absl::StatusOr<RankPlan> MakeChipPlan(const ChipRequest& request, int chip) {
  PODSIM_RETURN_IF_ERROR(CheckChips(request, chip));
  if (IsTorus(request.algorithm) && request.grid.chips() > 1)
    return TorusPlan(request, chip);
  return MakeRankPlan(RankRequest(request, chip), chip);
}

std::vector<Range> ChipShare(const ChipRequest& request, int chip) {
  if (IsTorus(request.algorithm) && request.grid.chips() > 1)
    return TorusShare(request, chip);
  if (request.algorithm == ChipAlgorithm::kHalvingDoubling &&
      request.collective == Collective::kReduceScatter)
    return {HalvingShare(RankRequest(request, chip), chip)};
  return {SegmentOf(request.elements, request.grid.chips(), chip)};
}

std::vector<int> DirectPeers(const Grid& grid, int chip) {
  const Coordinate at = PlaceOf(grid.size, chip);
  const auto upper = IsMirrored(grid, at);
  struct Peer {
    int distance;
    Offset offset;
    int chip;
  };
  std::vector<Peer> peers;
  for (int other = 0; other < grid.chips(); ++other) {
    if (other == chip) continue;
    const Offset offset = ShortestOffset(grid, at, PlaceOf(grid.size, other));
    peers.push_back({Distance(offset), Mirrored(upper, offset), other});
  }
  std::sort(peers.begin(), peers.end(), [](const Peer& a, const Peer& b) {
    return a.distance != b.distance ? a.distance > b.distance
                                    : a.offset < b.offset;
  });
  std::vector<int> order;
  order.reserve(peers.size());
  for (const Peer& peer : peers) order.push_back(peer.chip);
  return order;
}

}  // namespace podsim
