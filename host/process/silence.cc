#include "host/process/silence.h"

#include <algorithm>

namespace podsim {
namespace {

// More between two looks is no busy machine: this process stood still.
constexpr absl::Duration kOwnStandstill = absl::Seconds(2);

}  // namespace

bool SilenceWatch::IsSilent(absl::Time heard, absl::Time now) {
  if (now - last_look_ > kOwnStandstill) not_before_ = now;
  last_look_ = now;
  return now - std::max(heard, not_before_) >= limit_;
}

}  // namespace podsim
