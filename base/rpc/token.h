// The pod's token: a shared secret that every call carries, so that neither a
// stranger nor a host of another pod can join. Pure but for the random source
// and the environment; no gRPC.
#ifndef PODSIM_BASE_RPC_TOKEN_H_
#define PODSIM_BASE_RPC_TOKEN_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace podsim {

// Where programs find the token. An environment variable, because flags are
// readable by every user of the machine.
inline constexpr char kTokenVariable[] = "PODSIM_TOKEN";
// The metadata key under which calls carry it.
inline constexpr char kTokenMetadataKey[] = "x-podsim-token";

// 32 hex digits, 128 bits from the kernel's random source.
// Errors: UNAVAILABLE (no random source).
absl::StatusOr<std::string> GenerateToken();

// Whether `token` can travel as metadata: 1 to 256 printable ASCII characters
// without blanks. Errors: INVALID_ARGUMENT; never repeats the token.
absl::Status CheckTokenShape(std::string_view token);

// The token in $PODSIM_TOKEN.
// Errors: FAILED_PRECONDITION (unset, says how to make one), INVALID_ARGUMENT
//   (shape; fewer than 16 characters).
absl::StatusOr<std::string> TokenFromEnvironment();

// Equality in time that depends on the lengths only. An empty token equals
// nothing, so that a server without one refuses everybody.
bool TokensEqual(std::string_view a, std::string_view b);

}  // namespace podsim

#endif  // PODSIM_BASE_RPC_TOKEN_H_
