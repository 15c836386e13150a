// A job's forecast in words. Pure.
#ifndef PODSIM_RUNTIME_FORECAST_FORMAT_FORECAST_H_
#define PODSIM_RUNTIME_FORECAST_FORMAT_FORECAST_H_

#include <string>
#include <vector>

#include "runtime/forecast/job_forecast.h"

namespace podsim {

// "5.05 ms sim (2.05 to 7.15 ms), 53.1 us without the fixed cost of a step,
// bound by the fixed cost; 500 steps take 2.53 s sim".
std::string StepAndRunText(const JobForecast& forecast);

// One sentence, with how it scales: "5.05 ms sim (2.05 to 7.15 ms), 53.1 us
// without the fixed cost of a step, bound by the fixed cost; 500 steps
// take 2.53 s sim; scaling efficiency 100% against v3-8, 84% without the fixed
// cost".
std::string BriefForecast(const JobForecast& forecast, const LadderFoot& foot,
                          const Slice& slice);

// A paragraph each: the step and its parts; the rate and the whole job; its
// checkpoints, where they go to a bucket; how that compares with `foot` per
// core or chip; how wrong the links may be.
std::vector<std::string> FormatForecast(const JobForecast& forecast,
                                        const LadderFoot& foot,
                                        const Slice& slice);

// "torus_all, bound by the all-reduce".
std::string HowText(const JobForecast& forecast);

// "39.1 to 59.3 us", "962 us to 1.2 ms".
std::string RangeText(const Band& band);
std::string RangeText(double low_seconds, double high_seconds);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FORECAST_FORMAT_FORECAST_H_
