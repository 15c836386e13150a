// The files of hardware/, compiled in.
#ifndef PODSIM_INTERCONNECT_TOPOLOGY_HARDWARE_TEXTS_H_
#define PODSIM_INTERCONNECT_TOPOLOGY_HARDWARE_TEXTS_H_

#include <array>

namespace podsim {

// Oldest generation first.
extern const std::array<const char*, 7> kHardwareTexts;

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TOPOLOGY_HARDWARE_TEXTS_H_
