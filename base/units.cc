#include "base/units.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace podsim {
namespace {

// From here on %.3g would write 1e+03.
constexpr double kMostOfThreeDigits = 999.5;

}  // namespace

SimTime SimTime::Seconds(double seconds) {
  return SimTime(static_cast<std::int64_t>(std::llround(seconds * 1e12)));
}

std::string FormatBytes(std::int64_t bytes) {
  const auto value = static_cast<double>(bytes);
  const double size = std::fabs(value);
  if (size >= kGiB) return absl::StrFormat("%.2f GiB", value / kGiB);
  if (size >= kMiB) return absl::StrFormat("%.2f MiB", value / kMiB);
  if (size >= kKiB) return absl::StrFormat("%.2f KiB", value / kKiB);
  return absl::StrFormat("%d B", bytes);
}

std::string FormatSimTime(SimTime time) {
  const double s = time.seconds();
  if (s >= 1) return absl::StrFormat("%.3f s sim", s);
  if (s >= 1e-3) return absl::StrFormat("%.3f ms sim", s * 1e3);
  return absl::StrFormat("%.1f us sim", s * 1e6);
}

std::string AmountText(double amount) {
  // Beyond, no 64-bit integer is sure to hold it.
  constexpr double kMostCounted = 1e18;
  return amount < kMostOfThreeDigits || amount > kMostCounted
             ? absl::StrFormat("%.3g", amount)
             : FormatCount(std::llround(amount));
}

std::string SpanText(double seconds) {
  if (seconds * 1e6 < kMostOfThreeDigits)
    return AmountText(seconds * 1e6) + " us";
  if (seconds * 1e3 < kMostOfThreeDigits)
    return AmountText(seconds * 1e3) + " ms";
  if (seconds < 120) return AmountText(seconds) + " s";
  if (seconds < 7200) return AmountText(seconds / 60) + " min";
  return AmountText(seconds / 3600) + " h";
}

std::string PercentText(double share) {
  return std::fabs(share) < 0.1 ? absl::StrFormat("%.2g%%", 100 * share)
                                : absl::StrFormat("%.0f%%", 100 * share);
}

std::string FormatCount(std::int64_t count) {
  // Unsigned, for the smallest number has no positive twin.
  const auto bits = static_cast<std::uint64_t>(count);
  const std::string digits = absl::StrCat(count < 0 ? 0 - bits : bits);
  const std::size_t first = (digits.size() - 1) % 3 + 1;
  std::string text =
      absl::StrCat(count < 0 ? "-" : "", digits.substr(0, first));
  for (std::size_t at = first; at < digits.size(); at += 3)
    absl::StrAppend(&text, ",", digits.substr(at, 3));
  return text;
}

std::string FormatCounted(std::int64_t count, const std::string& thing) {
  const bool plural = count != 1;
  const bool sibilant = !thing.empty() && thing.back() == 's';
  return absl::StrCat(FormatCount(count), " ", thing,
                      plural ? (sibilant ? "es" : "s") : "");
}

}  // namespace podsim
