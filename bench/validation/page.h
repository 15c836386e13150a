// docs/validation.md, and whether what it says holds. Pure.
#ifndef PODSIM_BENCH_VALIDATION_PAGE_H_
#define PODSIM_BENCH_VALIDATION_PAGE_H_

#include <string>
#include <vector>

#include "bench/validation/check.h"

namespace podsim::validation {

// How often published figures lie between low and high, each check weighing the
// same, and the median width of that, over checks to which nothing is fitted.
struct Coverage {
  double inside = 0;       // 0 to 1
  double median_half = 0;  // half of high - low, over the value
};
Coverage CoverageOf(const std::vector<Check>& checks);
// The same over every published row that has a band; each weighs the same.
Coverage CoverageOfRows(const std::vector<Check>& checks);
std::vector<Result> CoverageResults(const Coverage& coverage);

std::string PageOf(const std::vector<Check>& held,
                   const std::vector<Check>& others);

// One line for each result that misses what it is held to; empty: all hold.
std::string MissesOf(const std::vector<Check>& held);

}  // namespace podsim::validation

#endif  // PODSIM_BENCH_VALIDATION_PAGE_H_
