// Hosts on other machines. Pure.
#ifndef PODSIM_RUNTIME_POD_ELSEWHERE_H_
#define PODSIM_RUNTIME_POD_ELSEWHERE_H_

#include "absl/status/status.h"
#include "proto/programs.pb.h"

namespace podsim {

// Errors: INVALID_ARGUMENT: hosts elsewhere without an address to dial, or the
//   other way round; what is no address, or leaves this machine unencrypted
//   without --allow_plaintext_network.
absl::Status CheckElsewhere(const ElsewhereSettings& elsewhere);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_POD_ELSEWHERE_H_
