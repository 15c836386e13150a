#include "interconnect/timing/pricing.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "interconnect/timing/chip_bytes.h"

namespace podsim {
namespace {

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

absl::StatusOr<Price> PriceOne(const Slice& slice, const PriceRequest& request,
                               ChipAlgorithm algorithm) {
  const Overhead overhead = OverheadOf(slice, request);
  Network network = NetworkOf(slice);
  network.faults = request.faults;
  PODSIM_RETURN_IF_ERROR(CheckNetwork(network));
  PODSIM_ASSIGN_OR_RETURN(
      NetworkPlan plan,
      NetworkPlan::Make(ChipPlanOf(slice, request, algorithm), network,
                        request.element_bytes, request.whole));
  PODSIM_ASSIGN_OR_RETURN(NetworkRun run, plan.Run(network.links));
  return Price{.algorithm = algorithm,
               .time = overhead.software + overhead.cores + run.time,
               .network = run.time,
               .software = overhead.software,
               .cores = overhead.cores,
               .sent = std::move(run.sent),
               .busy = std::move(run.busy),
               .ends = std::move(run.ends),
               .events = run.events,
               .plan = std::make_shared<const NetworkPlan>(std::move(plan))};
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

// One exchange waits for the other: their ways are to be gone, and each moves
// half of what is left.
SimTime LeastHalving(const Slice& slice, const PriceRequest& request) {
  if (request.collective == Collective::kBroadcast) return SimTime();
  const Grid grid = GridOf(slice);
  const int power =
      static_cast<int>(std::bit_floor(static_cast<unsigned>(slice.chips)));
  std::vector<int> hops(power, 0);  // until each chip is done with a step
  for (int distance = 1; distance < power; distance *= 2) {
    const std::vector<int> before = hops;
    for (int chip = 0; chip < power; ++chip) {
      const int partner = chip ^ distance;
      const Offset way = ShortestOffset(grid, PlaceOf(grid.size, partner),
                                        PlaceOf(grid.size, chip));
      hops[chip] = std::max(before[chip], before[partner] + Distance(way));
    }
  }
  const SimTime latency = SimTime::Seconds(
      *std::max_element(hops.begin(), hops.end()) * slice.chip().hop_seconds);
  if (request.bytes / request.element_bytes <= kRecursiveDoublingElements)
    return latency;
  const int rounds = request.collective == Collective::kAllReduce ? 2 : 1;
  const double bytes = static_cast<double>(request.bytes) * (1 - 1.0 / power);
  return latency +
         SimTime::Seconds(rounds * bytes / slice.chip().link_bytes_per_second);
}

// No need to try what takes longer by itself than another algorithm does.
bool IsSlower(const Slice& slice, const PriceRequest& request,
              ChipAlgorithm algorithm, SimTime network) {
  switch (algorithm) {
    case ChipAlgorithm::kDirect:
      return request.collective == Collective::kAllReduce &&
             LeastDirect(slice, request) > network;
    case ChipAlgorithm::kRing:
    case ChipAlgorithm::kBidirRing:
      return LeastRing(slice, request) > network;
    case ChipAlgorithm::kHalvingDoubling:
      return LeastHalving(slice, request) > network;
    default:
      return false;
  }
}

// Seconds and more: where another algorithm does it, auto does without.
bool IsLong(const Slice& slice, const PriceRequest& request,
            ChipAlgorithm algorithm) {
  constexpr std::int64_t kManyMessages = std::int64_t{1} << 18;
  Network network = NetworkOf(slice);
  network.faults = request.faults;
  return SimulatedMessages(ChipPlanOf(slice, request, algorithm), network) >
         kManyMessages;
}

}  // namespace

ChipRequest ChipPlanOf(const Slice& slice, const PriceRequest& request,
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

Overhead OverheadOf(const Slice& slice, const PriceRequest& request) {
  return {SimTime::Seconds(slice.chip().collective_seconds),
          CoresTime(slice, request)};
}

absl::StatusOr<Price> PriceCollective(const Slice& slice,
                                      const PriceRequest& request) {
  PODSIM_RETURN_IF_ERROR(CheckRequest(request));
  if (request.algorithm) return PriceOne(slice, request, *request.algorithm);
  absl::StatusOr<Price> best = absl::UnimplementedError("nothing does it");
  std::vector<ChipAlgorithm> not_tried;
  // The likely one first.
  constexpr ChipAlgorithm kOrder[] = {
      ChipAlgorithm::kTorusAll,        ChipAlgorithm::kTorus,
      ChipAlgorithm::kBidirRing,       ChipAlgorithm::kRing,
      ChipAlgorithm::kHalvingDoubling, ChipAlgorithm::kDirect};
  for (const ChipAlgorithm algorithm : kOrder) {
    if (!Supports(request.collective, algorithm)) continue;
    if (best.ok() && IsSlower(slice, request, algorithm, best->network))
      continue;
    if (best.ok() && IsLong(slice, request, algorithm)) {
      not_tried.push_back(algorithm);
      continue;
    }
    PODSIM_ASSIGN_OR_RETURN(Price price, PriceOne(slice, request, algorithm));
    if (!best.ok() || price.time < best->time) best = std::move(price);
  }
  if (best.ok()) best->not_tried = std::move(not_tried);
  return best;
}

}  // namespace podsim
