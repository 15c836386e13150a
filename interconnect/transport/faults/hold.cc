#include "interconnect/transport/faults/hold.h"

#include "base/status.h"

namespace podsim {

absl::Duration HoldOf(std::size_t bytes, double rate) {
  PODSIM_CHECK(rate > 0 && rate <= 1);
  return absl::Seconds(static_cast<double>(bytes) * (1 / rate - 1) /
                       kLinkBytesPerSecond);
}

}  // namespace podsim
