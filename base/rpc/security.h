// What protects the calls of a pod: a shared token on every one, and plain text
// on this machine only. Pure; base/rpc/credentials.h puts it to use.
#ifndef PODSIM_BASE_RPC_SECURITY_H_
#define PODSIM_BASE_RPC_SECURITY_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace podsim {

struct RpcSecurity {
  // The pod's token (base/rpc/token.h). Never logged.
  std::string token;
  // Lets calls go unencrypted beyond this machine.
  bool allow_plaintext_network = false;
};

// Whether `address` may be used without encryption.
// Errors: INVALID_ARGUMENT (not an address), FAILED_PRECONDITION (it leaves the
//   machine and the override is not given; names both).
absl::Status CheckPlaintextAllowed(std::string_view address,
                                   const RpcSecurity& security);

}  // namespace podsim

#endif  // PODSIM_BASE_RPC_SECURITY_H_
