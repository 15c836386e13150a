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

// Around `price`, which PriceCollective gave for the same slice and request:
// each assumed or fitted constant at either end of its range, by the same
// algorithm; what that makes faster (and slower) is added in squares, as for
// doubts that know nothing of each other.
// `generation`: the slice's. Errors: those of PriceCollective.
absl::StatusOr<Band> BandOf(const Slice& slice, const Generation& generation,
                            const PriceRequest& request, const Price& price);

// The same around any time. `time_of` gives it for a slice with one figure
// moved; `on_links`: one that changes how long plans take on the links.
using MovedTime = absl::FunctionRef<absl::StatusOr<SimTime>(const Slice& moved,
                                                            bool on_links)>;
absl::StatusOr<Band> BandAround(SimTime time, const Slice& slice,
                                const Generation& generation,
                                MovedTime time_of);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TIMING_BAND_H_
