// The slices that a name nobody knows may have meant. Pure.
#ifndef PODSIM_INTERCONNECT_TOPOLOGY_NEAREST_SLICES_H_
#define PODSIM_INTERCONNECT_TOPOLOGY_NEAREST_SLICES_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "interconnect/topology/hardware.h"

namespace podsim {

// "v3-33" -> v3-32, v3-64: the next smaller and the next larger of the
// generation. "v9-32" -> as many cores or chips in the newest generations.
// "v5e-16" -> v5litepod-16. "4x4" -> those of so many chips. Other text -> the
// names with the fewest changed letters.
std::vector<std::string> NearestSlices(
    std::string_view typed, const Hardware& hardware = ShippedHardware());

// INVALID_ARGUMENT: what was given, what is near, what there is.
absl::Status UnknownSlice(std::string_view typed,
                          const Hardware& hardware = ShippedHardware());

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TOPOLOGY_NEAREST_SLICES_H_
