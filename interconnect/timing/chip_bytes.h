// What the buffers of a chip's replicas come to for the chip. Pure.
#ifndef PODSIM_INTERCONNECT_TIMING_CHIP_BYTES_H_
#define PODSIM_INTERCONNECT_TIMING_CHIP_BYTES_H_

#include <cstdint>

#include "interconnect/timing/pricing.h"

namespace podsim {

// The cores of a chip add theirs up, or share what comes; only an all-to-all
// has something else for each.
inline std::int64_t ChipBytes(const Slice& slice, const PriceRequest& request) {
  return request.collective == Collective::kAllToAll
             ? request.bytes * slice.chip().replicas_per_chip
             : request.bytes;
}

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TIMING_CHIP_BYTES_H_
