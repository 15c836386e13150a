#include "runtime/forecast/step_band.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/status.h"
#include "runtime/job/geography.h"

namespace podsim {
namespace {

absl::StatusOr<Band> BandOfFigures(const PricedStep& of, SimTime total) {
  return BandAround(total, *of.slice, *of.generation,
                    [&](const Move& move) -> absl::StatusOr<SimTime> {
                      const Slice other = move.In(*of.slice);
                      SumPrices prices = of.sums->Moved(other, move);
                      std::optional<ChipStep> kept;
                      if (move.moves(&ChipFigures::on_chip_bytes))
                        kept = WithOnChip(*of.chip, of.options->rows(),
                                          other.chip().on_chip_bytes);
                      PODSIM_ASSIGN_OR_RETURN(
                          const StepParts parts,
                          PriceStep(*of.program, kept ? *kept : *of.chip, other,
                                    *of.options, prices));
                      return OverlapStep(parts).total;
                    });
}

// A figure of the way to the bucket that may be another, at each end of its
// range.
struct StoreDoubt {
  const char* figure;
  BucketPlace low;
  BucketPlace high;
};

std::vector<StoreDoubt> DoubtsOf(const BucketPlace& store) {
  std::vector<StoreDoubt> doubts;
  const auto add = [&](const char* name, Figure* (BucketPlace::*figure)()) {
    BucketPlace low = store;
    BucketPlace high = store;
    Figure& low_end = *(low.*figure)();
    if (low_end.grade() == PRIMARY || low_end.low() <= 0) return;
    low_end.set_value(low_end.low());
    Figure& high_end = *(high.*figure)();
    high_end.set_value(high_end.high());
    doubts.push_back({name, std::move(low), std::move(high)});
  };
  add("the bucket's round_trip_seconds",
      &BucketPlace::mutable_round_trip_seconds);
  add("the bucket's host_bytes_per_second",
      &BucketPlace::mutable_host_bytes_per_second);
  add("the bucket's bucket_bytes_per_second",
      &BucketPlace::mutable_bucket_bytes_per_second);
  return doubts;
}

double Square(double value) { return value * value; }

// `band` around the step of `parts`, with the doubts of the way to its store
// added in squares, as for the others (interconnect/timing/band.h).
Band WithDoubtsOfStore(const Band& band, const StepParts& parts,
                       const StepOptions& options, const Slice& slice) {
  if (options.store == nullptr) return band;
  const double total = OverlapStep(parts).total.seconds();
  double below = Square(total - band.low.seconds());
  double above = Square(band.high.seconds() - total);
  Band wider = band;
  for (const auto& [figure, low, high] : DoubtsOf(*options.store)) {
    double least = 0;
    double most = 0;
    std::vector<double> totals;
    for (const BucketPlace& place : {low, high}) {
      StepParts moved = parts;
      moved.store = PriceStore(place, options.stored_example_bytes,
                               options.batch_per_core, slice);
      const double other = OverlapStep(moved).total.seconds() - total;
      totals.push_back(total + other);
      least = std::min(least, other);
      most = std::max(most, other);
    }
    below += least * least;
    above += most * most;
    wider.shares.push_back({figure, std::fabs(least), most, std::move(totals)});
  }
  wider.low = SimTime::Seconds(total - std::sqrt(below));
  wider.high = SimTime::Seconds(total + std::sqrt(above));
  return wider;
}

}  // namespace

absl::StatusOr<Band> BandOfStep(const PricedStep& of, const StepParts& parts) {
  PODSIM_ASSIGN_OR_RETURN(const Band band,
                          BandOfFigures(of, OverlapStep(parts).total));
  return WithDoubtsOfStore(band, parts, *of.options, *of.slice);
}

}  // namespace podsim
