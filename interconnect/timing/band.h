// How sure a price is: what is not published is moved through its range. Pure.
#ifndef PODSIM_INTERCONNECT_TIMING_BAND_H_
#define PODSIM_INTERCONNECT_TIMING_BAND_H_

#include "absl/status/statusor.h"
#include "interconnect/timing/pricing.h"

namespace podsim {

struct Band {
  SimTime low;
  SimTime high;
};

// Around `price`, which PriceCollective gave for the same slice and request:
// each assumed or fitted constant of the network at either end of its range, by
// the same algorithm; what that makes faster (and slower) is added in squares,
// as for doubts that know nothing of each other.
// `generation`: the slice's. Errors: those of PriceCollective.
absl::StatusOr<Band> BandOf(const Slice& slice, const Generation& generation,
                            const PriceRequest& request, const Price& price);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TIMING_BAND_H_
