// What a TPU VM says of itself. Pure.
#ifndef PODSIM_INTERCONNECT_TOPOLOGY_ACCELERATOR_TYPE_H_
#define PODSIM_INTERCONNECT_TOPOLOGY_ACCELERATOR_TYPE_H_

#include <string>

#include "absl/status/status.h"

namespace podsim {

// The slice that a machine is part of, where it is set.
inline constexpr char kAcceleratorTypeVariable[] = "TPU_ACCELERATOR_TYPE";

// `type`: of the variable; empty: not set.
// Errors: INVALID_ARGUMENT (another slice than `slice`; says what to do).
absl::Status CheckAcceleratorType(const std::string& type,
                                  const std::string& slice);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TOPOLOGY_ACCELERATOR_TYPE_H_
