// What keeps one slow step from being the figure of a run. Pure.
#ifndef PODSIM_RUNTIME_REPORT_MEDIAN_H_
#define PODSIM_RUNTIME_REPORT_MEDIAN_H_

#include <optional>
#include <vector>

namespace podsim {

// Of the values that are finite: the middle one, of two the lower, so that it
// is one of them. Nullopt: there is none.
std::optional<double> Median(std::vector<double> values);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_MEDIAN_H_
