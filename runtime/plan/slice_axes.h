// The frame of pictures over slices: two panels above one axis of chips, the
// lower one for the scaling efficiency. Pure.
#ifndef PODSIM_RUNTIME_PLAN_SLICE_AXES_H_
#define PODSIM_RUNTIME_PLAN_SLICE_AXES_H_

#include <string>
#include <vector>

#include "runtime/report/svg.h"

namespace podsim {

// Pixels.
inline constexpr double kSlicesWidth = 760;
inline constexpr double kSlicesHeight = 640;
inline constexpr double kSlicesLeft = 80;
inline constexpr double kSlicesRight = kSlicesWidth - 130;
// Panels from their top to their bottom.
inline constexpr double kUpperTop = 60;
inline constexpr double kUpperBottom = 360;
inline constexpr double kEfficiencyTop = 420;
inline constexpr double kEfficiencyBottom = 580;

// Between the powers of two around all of `chips`.
Scale ChipScale(const std::vector<double>& chips);
// From 0 to 1, or to the fifth above the highest.
Scale EfficiencyScale(const std::vector<double>& efficiencies);

// Through both panels.
std::string DrawChipAxis(const Scale& chips);
std::string DrawEfficiencyAxis(const Scale& efficiency);

// The picture with its title.
std::string SlicePicture(const std::string& title, const std::string& content);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_SLICE_AXES_H_
