// Hosts on other machines.
#ifndef PODSIM_RUNTIME_POD_ELSEWHERE_H_
#define PODSIM_RUNTIME_POD_ELSEWHERE_H_

#include "absl/status/status.h"
#include "proto/programs.pb.h"
#include "settings/environment.h"

namespace podsim {

// Errors: INVALID_ARGUMENT: hosts elsewhere without an address to dial, or the
//   other way round; what is no address, or leaves this machine unencrypted
//   without --allow_plaintext_network.
// Pure.
absl::Status CheckElsewhere(const ElsewhereSettings& elsewhere);

// That there is a token where hosts elsewhere need one, or a variable gives it.
// Errors: INVALID_ARGUMENT.
absl::Status CheckToken(const ElsewhereSettings& elsewhere,
                        const Variables& variables);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_POD_ELSEWHERE_H_
