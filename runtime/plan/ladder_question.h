// What pod_plan's settings ask of a ladder: prices, a deadline, a budget. Reads
// --chip_prices' file.
#ifndef PODSIM_RUNTIME_PLAN_LADDER_QUESTION_H_
#define PODSIM_RUNTIME_PLAN_LADDER_QUESTION_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "interconnect/topology/slice.h"
#include "proto/hardware.pb.h"
#include "proto/plan.pb.h"
#include "runtime/plan/which_slice.h"

namespace podsim {

// `slices`: those of the ladder; each must have a price if a file has any.
// Errors: INVALID_ARGUMENT, one line (a time that is none; a budget without
//   prices; a generation without a price; what ReadChipPrices says).
absl::StatusOr<LadderQuestion> QuestionOf(const PlanSettings& settings,
                                          const Hardware& hardware,
                                          const std::vector<Slice>& slices);

// Seconds of "90m", "4h", "1.5h", "2d", "3600s". Errors: INVALID_ARGUMENT, one
// line; of a number without a unit, what it would be in seconds and in hours.
absl::StatusOr<double> DeadlineSeconds(const std::string& text);

// That what adds to the table is not asked where there is none. Errors:
// INVALID_ARGUMENT, one line.
absl::Status CheckQuestionIsShown(const PlanSettings& settings);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_LADDER_QUESTION_H_
