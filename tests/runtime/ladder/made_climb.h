// Rungs and ladders whose numbers are as a test says.
#ifndef PODSIM_TESTS_RUNTIME_LADDER_MADE_CLIMB_H_
#define PODSIM_TESTS_RUNTIME_LADDER_MADE_CLIMB_H_

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/ladder/climb.h"
#include "runtime/ladder/rung.h"

namespace podsim::testing {

inline constexpr double kMadeStep = 0.005;  // s, sim

// 8 examples per core, 12,800 examples in all, and 0.1 for each 64 examples.
inline RungPlan MadePlan(const std::string& slice, int chips) {
  const std::int64_t batch = std::int64_t{16} * chips;
  return {.slice = slice,
          .chips = chips,
          .batch_per_core = 8,
          .global_batch = batch,
          .steps = 12800 / batch,
          .learning_rate = 0.1 * static_cast<double>(batch) / 64,
          .step_seconds = kMadeStep,
          .efficiency = 1};
}

// Its training loss fell from 2.3 to 0.1.
inline RungRun MadeRun(double eval_loss, double accuracy,
                       std::uint64_t seed = 0) {
  return {.seed = seed,
          .plan_hash = "hash",
          .steps = 200,
          .examples = 12800,
          .first_loss = 2.3,
          .last_loss = 0.1,
          .eval_loss = eval_loss,
          .eval_accuracy = accuracy,
          .sim_step_least = kMadeStep,
          .sim_step_most = kMadeStep,
          .wall_step = 0.001};
}

// Mean loss 0.11, standard deviation 0.01; mean accuracy 0.96.
inline Rung MadeFirst() {
  return {
      MadePlan("v3-8", 4),
      {MadeRun(0.10, 0.97, 0), MadeRun(0.11, 0.96, 1), MadeRun(0.12, 0.95, 2)}};
}

inline Rung MadeRung(double eval_loss, double accuracy) {
  return {MadePlan("v3-32", 16), {MadeRun(eval_loss, accuracy)}};
}

// v3-8, v3-32 and v3-128, none of them run.
inline Climb MadeClimb() {
  return {.job = "mlp on digits",
          .seeds = {0, 1, 2},
          .rungs = {{.plan = MadePlan("v3-8", 4)},
                    {.plan = MadePlan("v3-32", 16)},
                    {.plan = MadePlan("v3-128", 64)}}};
}

// Its first two rungs were run; the second one's loss is 0.5.
inline Climb FailedClimb() {
  Climb climb = MadeClimb();
  climb.rungs[0] = MadeFirst();
  climb.rungs[1] = MadeRung(0.5, 0.96);
  climb.verdicts = {{}, JudgeRung(climb.rungs[0], climb.rungs[1], {})};
  return climb;
}

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_RUNTIME_LADDER_MADE_CLIMB_H_
