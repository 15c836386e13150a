// How sure a simulated time is: what is not published is moved through its
// range. Pure.
#ifndef PODSIM_INTERCONNECT_TIMING_BAND_H_
#define PODSIM_INTERCONNECT_TIMING_BAND_H_

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "interconnect/timing/pricing.h"

namespace podsim {

struct Band {
  SimTime low;
  SimTime high;
};

// A constant of a generation at one end of its range.
struct MovedFigure {
  double ChipFigures::*place = nullptr;
  double value = 0;
  bool on_links = false;  // it changes how long plans take on the links

  Slice In(Slice slice) const {
    slice.figures.*place = value;
    return slice;
  }
};

// Around a value made of the generation's figures, of whatever unit: each
// assumed or fitted constant is moved to either end of its range, and what that
// takes away (and adds) is added in squares, as for doubts that know nothing of
// each other. `value_with` gives the value with one figure moved.
// Errors: those of value_with.
struct Spread {
  double low = 0;
  double high = 0;
};
using ValueWith =
    absl::FunctionRef<absl::StatusOr<double>(const MovedFigure& moved)>;
absl::StatusOr<Spread> SpreadAround(double value, const Generation& generation,
                                    ValueWith value_with);

// The same around a time.
using TimeWith =
    absl::FunctionRef<absl::StatusOr<SimTime>(const MovedFigure& moved)>;
absl::StatusOr<Band> BandAround(SimTime time, const Generation& generation,
                                TimeWith time_with);

// Around `price`, which PriceCollective gave for the same slice and request, by
// the same algorithm. `generation`: the slice's.
// Errors: those of PriceCollective.
absl::StatusOr<Band> BandOf(const Slice& slice, const Generation& generation,
                            const PriceRequest& request, const Price& price);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TIMING_BAND_H_
