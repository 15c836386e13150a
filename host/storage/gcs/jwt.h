// JSON Web Tokens signed with RS256 (RFC 7519, RFC 7515). Pure.
#ifndef PODSIM_HOST_STORAGE_GCS_JWT_H_
#define PODSIM_HOST_STORAGE_GCS_JWT_H_

#include <string>

#include "absl/status/statusor.h"

namespace podsim {

// `claims`: a JSON object. `private_key`: PEM, RSA.
// Errors: UNAUTHENTICATED (no such key); nothing of it is in a message.
absl::StatusOr<std::string> SignedJwt(const std::string& key_id,
                                      const std::string& claims,
                                      const std::string& private_key);

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_GCS_JWT_H_
