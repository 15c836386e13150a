#include "runtime/plan/slice_axes.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "base/units.h"

namespace podsim {

Scale ChipScale(const std::vector<double>& chips) {
  return LogScale(2, chips, kSlicesLeft, kSlicesRight);
}

Scale EfficiencyScale(const std::vector<double>& efficiencies) {
  constexpr double kTick = 0.2;
  double best = 1;
  for (const double each : efficiencies)
    best = std::max(best, std::ceil(each / kTick) * kTick);
  return {
      .from = 0, .to = best, .begin = kEfficiencyBottom, .end = kEfficiencyTop};
}

std::string DrawChipAxis(const Scale& chips) {
  std::string text;
  for (double power = chips.from; power <= chips.to; ++power) {
    const double x = chips.At(std::exp2(power));
    text += SvgLine(x, kUpperTop, x, kUpperBottom, kSvgGrid);
    text += SvgLine(x, kEfficiencyTop, x, kEfficiencyBottom, kSvgGrid);
    text += SvgWords(x, kEfficiencyBottom + 18,
                     FormatCount(std::llround(std::exp2(power))), "middle");
  }
  return text + SvgWords((kSlicesLeft + kSlicesRight) / 2, kSlicesHeight - 16,
                         "chips", "middle");
}

std::string DrawEfficiencyAxis(const Scale& efficiency) {
  std::vector<Tick> ticks;
  for (int fifth = 0; fifth <= std::lround(5 * efficiency.to); ++fifth)
    ticks.push_back({0.2 * fifth, absl::StrCat(20 * fifth, "%")});
  return SvgLeftAxis(efficiency, ticks, kSlicesLeft, kSlicesRight);
}

std::string SlicePicture(const std::string& title, const std::string& content) {
  return SvgPicture(kSlicesWidth, kSlicesHeight,
                    SvgWords(kSlicesWidth / 2, 24, title, "middle") + content);
}

}  // namespace podsim
