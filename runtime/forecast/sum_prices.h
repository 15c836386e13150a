// What the sums of a program take on a slice: each size is priced once. Pure.
#ifndef PODSIM_RUNTIME_FORECAST_SUM_PRICES_H_
#define PODSIM_RUNTIME_FORECAST_SUM_PRICES_H_

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "base/units.h"
#include "interconnect/timing/band.h"
#include "interconnect/timing/pricing.h"
#include "interconnect/topology/slice.h"

namespace podsim {

struct SumPrice {
  ChipAlgorithm algorithm = ChipAlgorithm::kTorusAll;
  SimTime time;
  SimTime network;
};

class SumPrices {
 public:
  // `algorithm` unset: for each size the one that takes the least time.
  explicit SumPrices(const Slice& slice,
                     std::optional<ChipAlgorithm> algorithm = std::nullopt)
      : slice_(slice), algorithm_(algorithm) {}

  // An all-reduce of so many elements of so many bytes; or another collective,
  // of which it takes the best algorithm. `group`: of so many neighbouring
  // replicas, all groups at once; 0: of all.
  // Errors: those of PriceCollective.
  absl::StatusOr<SumPrice> Of(std::int64_t elements, int element_bytes,
                              Collective collective = Collective::kAllReduce,
                              int group = 0);

  // Of the largest sum of all replicas that was priced, by its bytes; nothing:
  // none was.
  std::optional<ChipAlgorithm> OfLargest() const;

  // For `slice`, which is this one's with that move made: sizes that were
  // priced keep their algorithm, and what the move does not change.
  SumPrices Moved(const Slice& slice, const Move& move) const;

 private:
  struct Known {
    std::optional<ChipAlgorithm> algorithm;
    std::shared_ptr<const NetworkPlan> plan;
    std::optional<SimTime> network;
  };

  Slice slice_;
  std::optional<ChipAlgorithm> algorithm_;
  struct Sum {
    int group = 0;
    Collective collective = Collective::kAllReduce;
    std::int64_t elements = 0;
    int element_bytes = 0;
    auto operator<=>(const Sum&) const = default;
  };
  std::map<Sum, Known> known_;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FORECAST_SUM_PRICES_H_
