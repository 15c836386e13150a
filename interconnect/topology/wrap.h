// Which axes of a slice wrap, and how sure that is. Pure.
#ifndef PODSIM_INTERCONNECT_TOPOLOGY_WRAP_H_
#define PODSIM_INTERCONNECT_TOPOLOGY_WRAP_H_

#include "absl/status/status.h"
#include "interconnect/topology/slice.h"

namespace podsim {

// Sets wraps, twisted and wrap_note of a slice whose grid is known.
// Errors: INVALID_ARGUMENT (a twist that this slice is not offered with).
absl::Status SetWrap(const Generation& generation, const SliceOptions& options,
                     Slice& slice);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TOPOLOGY_WRAP_H_
