#include "host/storage/gcs/retry.h"

#include <algorithm>

namespace podsim {

absl::Duration BackOff(const RetryLimits& limits, int attempt,
                       std::uint64_t random, absl::Duration asked_for) {
  absl::Duration most = limits.first;
  for (int i = 1; i < attempt && most < limits.longest; ++i) most *= 2;
  most = std::min(most, limits.longest);
  const double share =
      0.5 + 0.5 * static_cast<double>(random >> 11) / 9007199254740992.0;
  return std::max(most * share, std::min(asked_for, limits.longest));
}

bool TriesAgain(const RetryLimits& limits, Mending mending, int attempt,
                absl::Duration span, absl::Duration wait) {
  switch (mending) {
    case Mending::kNever:
      return false;
    case Mending::kSoon:
      return attempt < limits.few && span + wait <= limits.budget;
    case Mending::kLater:
      break;
  }
  return span + wait <= limits.budget;
}

bool IsTransient(int http_status) {
  switch (http_status) {
    case 408:
    case 429:
    case 500:
    case 502:
    case 503:
    case 504:
      return true;
    default:
      return false;
  }
}

}  // namespace podsim
