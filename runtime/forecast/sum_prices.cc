#include "runtime/forecast/sum_prices.h"

#include "base/status.h"

namespace podsim {

absl::StatusOr<SumPrice> SumPrices::Of(std::int64_t elements,
                                       int element_bytes) {
  PriceRequest request = {.collective = Collective::kAllReduce,
                          .algorithm = algorithm_,
                          .bytes = elements * element_bytes,
                          .element_bytes = element_bytes};
  const auto known = known_.find({elements, element_bytes});
  if (known != known_.end()) request.algorithm = known->second.algorithm;
  if (known == known_.end() || !known->second.network) {
    PODSIM_ASSIGN_OR_RETURN(const Price price,
                            PriceCollective(slice_, request));
    known_[{elements, element_bytes}] = {price.algorithm, price.network};
    return SumPrice{price.algorithm, price.time, price.network};
  }
  const Overhead overhead = OverheadOf(slice_, request);
  const SimTime network = *known->second.network;
  return SumPrice{known->second.algorithm,
                  network + overhead.software + overhead.cores, network};
}

std::optional<ChipAlgorithm> SumPrices::OfLargest() const {
  if (known_.empty()) return std::nullopt;
  return known_.rbegin()->second.algorithm;
}

SumPrices SumPrices::Moved(const Slice& slice, bool on_links) const {
  SumPrices moved = *this;
  moved.slice_ = slice;
  if (!on_links) return moved;
  for (auto& [size, known] : moved.known_) known.network.reset();
  return moved;
}

}  // namespace podsim
