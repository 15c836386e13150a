#include "interconnect/timing/pricing.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "interconnect/timing/chip_bytes.h"
#include "interconnect/timing/fold.h"

namespace podsim {
namespace {

// Halving-doubling with relays is left out by auto above so many chips.
constexpr int kMostRelayed = 512;

// Every core's piece is read and their sum written; or the result is read and
// written once for each other core.
SimTime CoresTime(const Slice& slice, const PriceRequest& request) {
  const ChipFigures& chip = slice.chip();
  if (chip.replicas_per_chip < 2 || chip.core_piece_bytes <= 0)
    return SimTime();
  const bool sums = request.collective == Collective::kAllReduce ||
                    request.collective == Collective::kReduceScatter;
  const bool copies = request.collective == Collective::kAllReduce ||
                      request.collective == Collective::kAllGather ||
                      request.collective == Collective::kBroadcast;
  const double piece =
      std::min(static_cast<double>(request.bytes), chip.core_piece_bytes);
  const double cores = chip.replicas_per_chip;
  const double moved = piece * ((sums ? cores + 1 : 0) + (copies ? cores : 0));
  return SimTime::Seconds(moved / chip.hbm_bytes_per_second_per_chip);
}

ChipRequest PlanOf(const Slice& slice, const PriceRequest& request,
                   ChipAlgorithm algorithm) {
  ChipRequest plan{
      .collective = request.collective,
      .algorithm = algorithm,
      .grid = GridOf(slice),
      .elements = (ChipBytes(slice, request) + request.element_bytes - 1) /
                  request.element_bytes,
      .root = request.root};
  plan.elements = EvenElements(plan);
  return plan;
}

// From the ranks of the simulation to the chips that they stand for.
void SpreadOver(const Grid& grid, const FoldedRun& run, const SimResult& result,
                Price& price) {
  const int links = grid.chips() * kDirections;
  price.sent.assign(links, 0);
  price.busy.assign(links, SimTime());
  price.ends.assign(grid.chips(), SimTime());
  const bool by_direction = run.links != kRingLinks;
  for (int chip = 0; chip < grid.chips(); ++chip) {
    const int rank = run.rank_of_chip[chip];
    price.ends[chip] = result.ends[rank];
    if (!by_direction) continue;
    for (int direction = 0; direction < kDirections; ++direction) {
      const int link = kDirections * chip + direction;
      price.sent[link] = result.sent[run.link_of[link]];
      price.busy[link] = result.busy[run.link_of[link]];
    }
  }
}

// A ring's two links are those from each place to the ones beside it.
void SpreadOverRing(const Network& network, const SimResult& result,
                    const std::vector<int>& order, Price& price) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    const int beside[] = {order[(i + 1) % order.size()],
                          order[(i + order.size() - 1) % order.size()]};
    for (int way = 0; way < 2; ++way) {
      const auto route = RouteBetween(network, order[i], beside[way]);
      PODSIM_CHECK(route.ok());
      const std::int32_t link = route->links.front();
      price.sent[link] += result.sent[way];
      price.busy[link] += result.busy[way];
    }
  }
}

absl::StatusOr<Price> PriceOne(const Slice& slice, const PriceRequest& request,
                               ChipAlgorithm algorithm) {
  Price price;
  price.algorithm = algorithm;
  const Overhead overhead = OverheadOf(slice, request);
  price.software = overhead.software;
  price.cores = overhead.cores;
  Network network = NetworkOf(slice);
  network.faults = request.faults;
  PODSIM_RETURN_IF_ERROR(CheckNetwork(network));
  const ChipRequest plan = PlanOf(slice, request, algorithm);
  PODSIM_ASSIGN_OR_RETURN(FoldedRun run, FoldRun(plan, network, request.whole));
  const SimLinks links{.count = run.links,
                       .bytes_per_second = network.link_bytes_per_second,
                       .hop = network.hop,
                       .rates = std::move(run.rates),
                       .element_bytes = request.element_bytes};
  PODSIM_ASSIGN_OR_RETURN(const SimResult result,
                          Simulate(std::exchange(run.ranks, {}), links));
  price.network = result.time;
  price.events = result.events;
  price.time = price.software + price.cores + price.network;
  SpreadOver(network.grid, run, result, price);
  if (run.links == kRingLinks)
    SpreadOverRing(network, result, ChipRing(slice), price);
  return price;
}

absl::Status CheckRequest(const PriceRequest& request) {
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 46;
  if (request.bytes >= 0 && request.bytes <= kMostBytes)
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(std::string(NameOf(request.collective)), " of ",
                   request.bytes, " bytes: must be 0 to ", kMostBytes));
}

// Everyone with everyone sends what grows with the chips, in two steps unless
// the buffer is tiny.
SimTime LeastDirect(const Slice& slice, const PriceRequest& request) {
  PriceRequest exchange = request;
  exchange.collective = Collective::kAllToAll;
  exchange.bytes = 2 * request.bytes / slice.chip().replicas_per_chip;
  const bool one_step = request.bytes / request.element_bytes <=
                        kDirectOneStepElements / slice.chips;
  if (one_step) exchange.bytes = exchange.bytes / 2 * slice.chips;
  const Bounds bounds = BoundsOf(slice, exchange);
  const SimTime distance =
      one_step ? bounds.distance : bounds.distance + bounds.distance;
  return std::max({bounds.chip_links, bounds.bisection, distance});
}

// A piece goes once around all chips, or twice.
SimTime LeastRing(const Slice& slice, const PriceRequest& request) {
  const int rounds = request.collective == Collective::kAllReduce ? 2 : 1;
  return SimTime::Seconds(rounds * (slice.chips - 1) *
                          slice.chip().hop_seconds);
}

// No need to try what takes longer by itself than another algorithm does.
bool CannotBeFaster(const Slice& slice, const PriceRequest& request,
                    ChipAlgorithm algorithm, SimTime network) {
  switch (algorithm) {
    case ChipAlgorithm::kDirect:
      return request.collective == Collective::kAllReduce &&
             LeastDirect(slice, request) > network;
    case ChipAlgorithm::kRing:
    case ChipAlgorithm::kBidirRing:
      return LeastRing(slice, request) > network;
    case ChipAlgorithm::kHalvingDoubling:
      // Chips that are no power of two relay whole buffers: never tried where
      // many do.
      return !std::has_single_bit(static_cast<unsigned>(slice.chips)) &&
             slice.chips > kMostRelayed &&
             (request.collective == Collective::kReduceScatter ||
              request.collective == Collective::kAllGather);
    default:
      return false;
  }
}

}  // namespace

Overhead OverheadOf(const Slice& slice, const PriceRequest& request) {
  return {SimTime::Seconds(slice.chip().collective_seconds),
          CoresTime(slice, request)};
}

absl::StatusOr<Price> PriceCollective(const Slice& slice,
                                      const PriceRequest& request) {
  PODSIM_RETURN_IF_ERROR(CheckRequest(request));
  if (request.algorithm) return PriceOne(slice, request, *request.algorithm);
  std::optional<Price> best;
  // The likely one first.
  constexpr ChipAlgorithm kOrder[] = {
      ChipAlgorithm::kTorusAll,        ChipAlgorithm::kTorus,
      ChipAlgorithm::kBidirRing,       ChipAlgorithm::kRing,
      ChipAlgorithm::kHalvingDoubling, ChipAlgorithm::kDirect};
  for (const ChipAlgorithm algorithm : kOrder) {
    if (!Supports(request.collective, algorithm)) continue;
    if (best && CannotBeFaster(slice, request, algorithm, best->network))
      continue;
    PODSIM_ASSIGN_OR_RETURN(Price price, PriceOne(slice, request, algorithm));
    if (!best || price.time < best->time) best = std::move(price);
  }
  PODSIM_CHECK(best.has_value());
  return *std::move(best);
}

}  // namespace podsim
