// Which algorithms are worth pricing, and in which forms. Pure.
#ifndef PODSIM_INTERCONNECT_TIMING_CANDIDATES_H_
#define PODSIM_INTERCONNECT_TIMING_CANDIDATES_H_

#include <vector>

#include "interconnect/timing/pricing.h"

namespace podsim {

// One or two: a form that loses by a wide margin is left out.
std::vector<ChipForm> FormsOf(const Slice& slice, const PriceRequest& request,
                              ChipAlgorithm algorithm);

// By bounds of its own it takes longer than `network`, in every form.
bool IsSlower(const Slice& slice, const PriceRequest& request,
              ChipAlgorithm algorithm, SimTime network);

// Simulating it takes seconds or more: where another algorithm does the same,
// auto does without.
bool IsLong(const Slice& slice, const PriceRequest& request,
            ChipAlgorithm algorithm);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TIMING_CANDIDATES_H_
