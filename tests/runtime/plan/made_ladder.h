// Ladders whose rows are as a test says, without a plan or a price of a step.
#ifndef PODSIM_TESTS_RUNTIME_PLAN_MADE_LADDER_H_
#define PODSIM_TESTS_RUNTIME_PLAN_MADE_LADDER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/status.h"
#include "interconnect/topology/slice.h"
#include "runtime/plan/ladder.h"

namespace podsim::testing {

// Of 1,000 steps of 1 example per core, each of `step` seconds, and of `low`
// and `high`.
struct MadeRow {
  std::string slice;
  double step = 1;
  double low = 1;
  double high = 1;
  double start_up = 0;
  double recomputed_share = 0;
};
inline constexpr int kMadeSteps = 1000;

inline LadderRow RowOf(const MadeRow& made) {
  const absl::StatusOr<Slice> slice = FindSlice(made.slice);
  PODSIM_CHECK(slice.ok());
  LadderRow row = {.slice = *slice};
  JobForecast& forecast = row.forecast;
  forecast.step.total = SimTime::Seconds(made.step);
  forecast.band = {SimTime::Seconds(made.low), SimTime::Seconds(made.high)};
  forecast.global_batch = slice->replicas;
  forecast.steps = kMadeSteps;
  forecast.chips = slice->chips;
  forecast.replicas = slice->replicas;
  forecast.model_flops = 1e12;
  forecast.recomputed_flops = made.recomputed_share * forecast.model_flops;
  forecast.peak_flops = 1e14;
  forecast.start_up = SimTime::Seconds(made.start_up);
  return row;
}

inline Ladder MadeLadder(const std::vector<MadeRow>& rows) {
  Ladder ladder;
  for (const MadeRow& row : rows) ladder.rows.push_back(RowOf(row));
  return ladder;
}

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_RUNTIME_PLAN_MADE_LADDER_H_
