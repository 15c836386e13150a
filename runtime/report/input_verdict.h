// Whether steps wait for their input, in the words of a profiler. Pure.
#ifndef PODSIM_RUNTIME_REPORT_INPUT_VERDICT_H_
#define PODSIM_RUNTIME_REPORT_INPUT_VERDICT_H_

#include <optional>
#include <string>

namespace podsim {

// Parts of the steps' time that wait for input, as XProf's input-pipeline
// analysis judges them (op_stats_to_input_pipeline_analysis.cc).
inline constexpr double kModeratelyInputBound = 0.05;
inline constexpr double kHighlyInputBound = 0.20;

// "NOT input-bound", "MODERATELY input-bound" or "HIGHLY input-bound": from
// either part on. Its fourth, POTENTIALLY, is for time that the profiler cannot
// tell the use of; here there is none.
const char* InputVerdict(double waiting);

// "NOT input-bound sim and wall", "HIGHLY input-bound sim, NOT input-bound
// wall". `percents`: "NOT input-bound sim (0.0%), NOT input-bound wall (3.3%)".
// REQUIRES: one of them.
std::string InputVerdictText(std::optional<double> sim,
                             std::optional<double> wall, bool percents);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_INPUT_VERDICT_H_
