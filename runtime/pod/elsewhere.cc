#include "runtime/pod/elsewhere.h"

#include "absl/strings/str_cat.h"
#include "base/rpc/security.h"
#include "base/rpc/token.h"

namespace podsim {
namespace {

// As the coordinator would, but before there is one: in one line.
absl::Status CheckListen(const ElsewhereSettings& elsewhere) {
  const absl::Status allowed = CheckPlaintextAllowed(
      elsewhere.listen(),
      {.token = "",
       .allow_plaintext_network = elsewhere.allow_plaintext_network()});
  if (allowed.ok()) return allowed;
  return absl::InvalidArgumentError(
      absl::StrCat("--listen: ", allowed.message()));
}

}  // namespace

absl::Status CheckElsewhere(const ElsewhereSettings& elsewhere) {
  if (elsewhere.external_hosts() && !elsewhere.has_listen())
    return absl::InvalidArgumentError(
        "--external_hosts needs --listen, the address that hosts elsewhere "
        "dial, such as 0.0.0.0:8476");
  if (!elsewhere.external_hosts() && elsewhere.has_listen())
    return absl::InvalidArgumentError(
        "--listen is for --external_hosts; hosts on this machine use a private "
        "address; leave it out, or add --external_hosts");
  return elsewhere.has_listen() ? CheckListen(elsewhere) : absl::OkStatus();
}

absl::Status CheckToken(const ElsewhereSettings& elsewhere,
                        const Variables& variables) {
  if (!elsewhere.external_hosts() && !variables.contains(kTokenVariable))
    return absl::OkStatus();
  const absl::Status token = TokenFromEnvironment().status();
  if (token.ok()) return token;
  return absl::InvalidArgumentError(absl::StrCat(
      elsewhere.external_hosts() ? "--external_hosts needs a token: " : "",
      token.message()));
}

}  // namespace podsim
