#include "runtime/forecast/sum_prices.h"

#include <utility>

#include "base/status.h"
#include "interconnect/topology/group_slice.h"

namespace podsim {

absl::StatusOr<SumPrice> SumPrices::Of(std::int64_t elements, int element_bytes,
                                       Collective collective, int group) {
  Known& known = known_[{group, collective, elements, element_bytes}];
  const Slice slice = GroupOf(slice_, group);
  const std::optional<ChipAlgorithm> asked =
      collective == Collective::kAllReduce ? algorithm_ : std::nullopt;
  const PriceRequest request = {
      .collective = collective,
      .algorithm = known.algorithm ? known.algorithm : asked,
      .bytes = elements * element_bytes,
      .element_bytes = element_bytes};
  if (known.plan == nullptr) {
    PODSIM_ASSIGN_OR_RETURN(Price price, PriceCollective(slice, request));
    known = {price.algorithm, std::move(price.plan), price.network};
  } else if (!known.network) {
    PODSIM_ASSIGN_OR_RETURN(const NetworkRun run,
                            known.plan->Run(NetworkOf(slice).links));
    known.network = run.time;
  }
  // One core sums with nobody, and starts no collective.
  const Overhead overhead =
      slice.replicas == 1 ? Overhead{} : OverheadOf(slice, request);
  const SimTime network = *known.network;
  return SumPrice{*known.algorithm,
                  network + overhead.software + overhead.cores, network};
}

std::optional<ChipAlgorithm> SumPrices::OfLargest() const {
  std::optional<ChipAlgorithm> largest;
  std::int64_t most = -1;
  for (const auto& [sum, known] : known_) {
    const std::int64_t bytes = sum.elements * sum.element_bytes;
    if (sum.group != 0 || !known.algorithm || bytes <= most) continue;
    most = bytes;
    largest = known.algorithm;
  }
  return largest;
}

SumPrices SumPrices::Moved(const Slice& slice, const Move& move) const {
  SumPrices moved = *this;
  moved.slice_ = slice;
  for (auto& [sum, known] : moved.known_) {
    if (move.on_ways()) known.plan = nullptr;
    if (move.on_links) known.network.reset();
  }
  return moved;
}

}  // namespace podsim
