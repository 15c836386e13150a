#include "runtime/pod/elsewhere.h"

namespace podsim {

absl::Status CheckElsewhere(const ElsewhereSettings& elsewhere) {
  if (elsewhere.external_hosts() && !elsewhere.has_listen())
    return absl::InvalidArgumentError(
        "--external_hosts needs --listen, the address that hosts elsewhere "
        "dial, such as 0.0.0.0:8476");
  if (!elsewhere.external_hosts() && elsewhere.has_listen())
    return absl::InvalidArgumentError(
        "--listen is for --external_hosts; hosts on this machine use a private "
        "address");
  return absl::OkStatus();
}

}  // namespace podsim
