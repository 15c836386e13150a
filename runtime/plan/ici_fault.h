// "link:(3,1)-(4,1):0.25": a wire of a slice and what is left of its rate.
// Pure.
#ifndef PODSIM_RUNTIME_PLAN_ICI_FAULT_H_
#define PODSIM_RUNTIME_PLAN_ICI_FAULT_H_

#include <string>

#include "absl/status/statusor.h"
#include "interconnect/timing/network.h"

namespace podsim {

// Whether the wire exists is for CheckNetwork to say.
// Errors: INVALID_ARGUMENT, saying how it is written.
absl::StatusOr<LinkFault> ParseIciFault(const std::string& text);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_ICI_FAULT_H_
