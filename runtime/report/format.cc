// Text for rates, percentages and wall time; see format.h.
#include "runtime/report/format.h"

#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/units.h"

namespace podsim {

std::string FormatPercent(double fraction) {
  return absl::StrFormat("%.2f%%", 100 * fraction);
}

std::string FormatWallTime(absl::Duration duration) {
  const double seconds = absl::ToDoubleSeconds(duration);
  if (seconds >= 1) return absl::StrFormat("%.3f s", seconds);
  if (seconds >= 1e-3) return absl::StrFormat("%.1f ms", seconds * 1e3);
  return absl::StrFormat("%.1f us", seconds * 1e6);
}

std::string FormatTimeLeft(absl::Duration left) {
  if (left == absl::InfiniteDuration()) return "?";
  const std::int64_t seconds =
      static_cast<std::int64_t>(std::ceil(absl::ToDoubleSeconds(left)));
  if (seconds < 60) return absl::StrFormat("%ds", seconds);
  if (seconds < 3600) {
    return absl::StrFormat("%dm%02ds", seconds / 60, seconds % 60);
  }
  return absl::StrFormat("%dh%02dm", seconds / 3600, seconds / 60 % 60);
}

std::string FormatEvalLoss(const MetricSums& sums) {
  if (FindMetric(sums, kLossMetric) == nullptr) return "no loss";
  return absl::StrFormat("loss %.4f", MetricValue(sums, kLossMetric));
}

std::string FormatOtherMetrics(const MetricSums& sums) {
  std::string text;
  for (const MetricSum& sum : sums) {
    if (sum.name() == kLossMetric || sum.name() == kAccuracyMetric) continue;
    const double value = CombinedValue(sum);
    absl::StrAppend(
        &text, ", ", sum.name(), ": ",
        sum.percent() ? FormatPercent(value) : absl::StrFormat("%.4f", value));
  }
  return text;
}

std::string FormatRate(double per_second) {
  if (per_second < 100) return absl::StrFormat("%.1f", per_second);
  // Far below what a 64-bit count holds; anything above is not a rate.
  if (!(per_second < 1e15)) return "?";
  return FormatCount(std::llround(per_second));
}

}  // namespace podsim
