// The one rule about plain text.
#include "base/rpc/security.h"

#include "absl/strings/str_cat.h"
#include "base/rpc/address.h"
#include "base/status.h"

namespace podsim {

absl::Status CheckPlaintextAllowed(std::string_view address,
                                   const RpcSecurity& security) {
  PODSIM_ASSIGN_OR_RETURN(const Address parsed, ParseAddress(address));
  if (parsed.IsLocal() || security.allow_plaintext_network) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "address ", parsed.ToString(),
      " leaves this machine, and calls would travel unencrypted, token "
      "included; use a Unix socket or a loopback address, or pass "
      "--allow_plaintext_network on a network that you trust"));
}

}  // namespace podsim
