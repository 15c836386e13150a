#include "runtime/forecast/sum_prices.h"

#include <utility>

#include "base/status.h"

namespace podsim {

absl::StatusOr<SumPrice> SumPrices::Of(std::int64_t elements,
                                       int element_bytes) {
  Known& known = known_[{elements, element_bytes}];
  const PriceRequest request = {
      .collective = Collective::kAllReduce,
      .algorithm = known.algorithm ? known.algorithm : algorithm_,
      .bytes = elements * element_bytes,
      .element_bytes = element_bytes};
  if (known.plan == nullptr) {
    PODSIM_ASSIGN_OR_RETURN(Price price, PriceCollective(slice_, request));
    known = {price.algorithm, std::move(price.plan), price.network};
  } else if (!known.network) {
    PODSIM_ASSIGN_OR_RETURN(const NetworkRun run,
                            known.plan->Run(NetworkOf(slice_).links));
    known.network = run.time;
  }
  // One core sums with nobody, and starts no collective.
  const Overhead overhead =
      slice_.replicas == 1 ? Overhead{} : OverheadOf(slice_, request);
  const SimTime network = *known.network;
  return SumPrice{*known.algorithm,
                  network + overhead.software + overhead.cores, network};
}

std::optional<ChipAlgorithm> SumPrices::OfLargest() const {
  if (known_.empty()) return std::nullopt;
  return known_.rbegin()->second.algorithm;
}

SumPrices SumPrices::Moved(const Slice& slice, const Move& move) const {
  SumPrices moved = *this;
  moved.slice_ = slice;
  for (auto& [size, known] : moved.known_) {
    if (move.on_ways()) known.plan = nullptr;
    if (move.on_links) known.network.reset();
  }
  return moved;
}

}  // namespace podsim
