#include "interconnect/timing/pricing.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status.h"
#include "interconnect/timing/candidates.h"
#include "interconnect/timing/chip_bytes.h"

namespace podsim {
namespace {

// Of a core's bytes, those that no link hides.
double SeenBytes(const Slice& slice, const PriceRequest& request) {
  const auto bytes = static_cast<double>(request.bytes);
  return slice.chips == 1 ? bytes
                          : std::min(bytes, slice.chip().core_piece_bytes);
}

// Every core's piece is read and their sum written; or the result is read and
// written once for each other core. In a chip alone each byte of an exchange is
// read and written.
SimTime CoresTime(const Slice& slice, const PriceRequest& request) {
  const ChipFigures& chip = slice.chip();
  if (chip.replicas_per_chip < 2 || chip.core_piece_bytes <= 0)
    return SimTime();
  const bool swaps =
      request.collective == Collective::kAllToAll && slice.chips == 1;
  const bool sums = request.collective == Collective::kAllReduce ||
                    request.collective == Collective::kReduceScatter;
  const bool copies = request.collective == Collective::kAllReduce ||
                      request.collective == Collective::kAllGather ||
                      request.collective == Collective::kBroadcast;
  const double cores = chip.replicas_per_chip;
  const double times =
      (sums ? cores + 1 : 0) + (copies ? cores : 0) + (swaps ? 2 * cores : 0);
  return SimTime::Seconds(SeenBytes(slice, request) * times /
                          chip.hbm_bytes_per_second_per_chip);
}

absl::Status CheckRequest(const Slice& slice, const PriceRequest& request) {
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 46;
  std::string wrong;
  if (request.bytes < 0 || request.bytes > kMostBytes)
    wrong = absl::StrCat(request.bytes, " bytes: must be 0 to ", kMostBytes);
  else if (request.root < 0 || request.root >= slice.chips)
    wrong =
        absl::StrCat("root ", request.root, ": must be 0 to ", slice.chips - 1);
  if (wrong.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(std::string(NameOf(request.collective)), " of ", wrong));
}

// Picoseconds of everything that may pass one link have to fit into 63 bits.
absl::Status CheckLength(const Slice& slice, const PriceRequest& request) {
  constexpr double kMostSeconds = 100;
  double rate = slice.chip().link_bytes_per_second * slice.chip().link_share;
  for (const LinkFault& fault : slice.link_faults)
    if (fault.rate > 0)
      rate = std::min(rate, slice.chip().link_bytes_per_second *
                                slice.chip().link_share * fault.rate);
  const double seconds = static_cast<double>(ChipBytes(slice, request)) / rate;
  if (seconds <= kMostSeconds) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat(
      "%s of %d bytes: a link would take %.3g s for a chip's buffer, more than "
      "the %g s that are simulated: take fewer bytes or faster links",
      std::string(NameOf(request.collective)), request.bytes, seconds,
      kMostSeconds));
}

absl::StatusOr<Price> PriceForm(const Slice& slice, const PriceRequest& request,
                                const ChipRequest& plan,
                                const Network& network) {
  const Overhead overhead = OverheadOf(slice, request);
  PODSIM_ASSIGN_OR_RETURN(
      NetworkPlan made,
      NetworkPlan::Make(plan, network, request.element_bytes, request.whole));
  PODSIM_ASSIGN_OR_RETURN(NetworkRun run, made.Run(network.links));
  return Price{.algorithm = plan.algorithm,
               .time = overhead.software + overhead.cores + run.time,
               .network = run.time,
               .software = overhead.software,
               .cores = overhead.cores,
               .sent = std::move(run.sent),
               .busy = std::move(run.busy),
               .ends = std::move(run.ends),
               .events = run.events,
               .plan = std::make_shared<const NetworkPlan>(std::move(made))};
}

// In the form that takes less.
absl::StatusOr<Price> PriceOne(const Slice& slice, const PriceRequest& request,
                               ChipAlgorithm algorithm) {
  const Network network = NetworkOf(slice);
  PODSIM_RETURN_IF_ERROR(CheckNetwork(network));
  PODSIM_RETURN_IF_ERROR(CheckLength(slice, request));
  std::optional<Price> best;
  for (const ChipForm form : FormsOf(slice, request, algorithm)) {
    PODSIM_ASSIGN_OR_RETURN(
        Price price,
        PriceForm(slice, request, ChipPlanOf(slice, request, algorithm, form),
                  network));
    if (!best || price.time < best->time) best = std::move(price);
  }
  return *std::move(best);
}

}  // namespace

ChipRequest ChipPlanOf(const Slice& slice, const PriceRequest& request,
                       ChipAlgorithm algorithm, ChipForm form) {
  ChipRequest plan{
      .collective = request.collective,
      .algorithm = algorithm,
      .form = form,
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
  PODSIM_RETURN_IF_ERROR(CheckRequest(slice, request));
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
