// Verdicts of rungs, on cases that were worked by hand.
#include "runtime/ladder/judge_rung.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/runtime/ladder/made_climb.h"

namespace podsim {
namespace {

using ::podsim::testing::MadeFirst;
using ::podsim::testing::MadePlan;
using ::podsim::testing::MadeRun;
using ::podsim::testing::MadeRung;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// 0.10, 0.11 and 0.12 have the mean 0.11; the squares of -0.01, 0 and 0.01 add
// up to 0.0002, of two degrees of freedom: a standard deviation of 0.01.
TEST(BandTest, ThreeDeviationsWhereSeedsDiffer) {
  const LossBand band = BandOf(MadeFirst().runs);
  EXPECT_TRUE(band.of_eval);
  EXPECT_EQ(band.seeds, 3);
  EXPECT_NEAR(band.mean, 0.11, 1e-12);
  EXPECT_NEAR(band.deviation, 0.01, 1e-12);
  EXPECT_NEAR(band.half_width, 0.03, 1e-12);
  EXPECT_TRUE(band.by_deviation());
}

TEST(BandTest, FivePercentWhereTheyDoNot) {
  const LossBand band =
      BandOf({MadeRun(0.2, 0.9), MadeRun(0.2, 0.9), MadeRun(0.2, 0.9)});
  EXPECT_NEAR(band.half_width, 0.01, 1e-12);
  EXPECT_FALSE(band.by_deviation());
  EXPECT_NEAR(band.low(), 0.19, 1e-12);
  EXPECT_NEAR(band.high(), 0.21, 1e-12);
}

TEST(BandTest, TheTrainingLossWhereNothingIsEvaluated) {
  std::vector<RungRun> runs = MadeFirst().runs;
  for (RungRun& run : runs) run.eval_loss.reset();
  const LossBand band = BandOf(runs);
  EXPECT_FALSE(band.of_eval);
  EXPECT_NEAR(band.mean, 0.1, 1e-12);
}

RungFault FaultOf(const Rung& rung, const RungLimits& limits = {}) {
  return JudgeRung(MadeFirst(), rung, limits).fault;
}

TEST(JudgeRungTest, LossesInsideTheBandPass) {
  EXPECT_EQ(FaultOf(MadeRung(0.1399, 0.96)), RungFault::kNone);
  EXPECT_EQ(FaultOf(MadeRung(0.0801, 0.96)), RungFault::kNone);
  EXPECT_EQ(FaultOf(MadeRung(0.1401, 0.96)), RungFault::kLoss);
  EXPECT_EQ(FaultOf(MadeRung(0.0799, 0.96)), RungFault::kLoss);
}

TEST(JudgeRungTest, ALossThatIsTooHighSaysSo) {
  const RungVerdict verdict =
      JudgeRung(MadeFirst(), MadeRung(0.5, 0.96), RungLimits());
  EXPECT_EQ(verdict.reason,
            "eval loss 0.5 is above 0.11, the mean of v3-8, by more than 0.03, "
            "3 standard deviations of 3 seeds");
  // It learned as the first one did: there are too few steps.
  EXPECT_EQ(verdict.change,
            "--batch_per_core: 8 leaves 50 steps of 256 examples here; try 4, "
            "which makes twice as many, or twice as many --steps");
}

TEST(JudgeRungTest, ALossThatIsTooLowWantsALongerFirstRung) {
  const RungVerdict verdict =
      JudgeRung(MadeFirst(), MadeRung(0.05, 0.96), RungLimits());
  EXPECT_THAT(verdict.reason, HasSubstr("is below 0.11"));
  EXPECT_THAT(verdict.change, StartsWith("--steps: 200 on v3-8"));
}

// From 2.3 to 1.3 is less than half of the first rung's way, 2.2.
TEST(JudgeRungTest, WhoDoesNotLearnHasTooLargeALearningRate) {
  Rung rung = MadeRung(1.4, 0.4);
  rung.runs.front().last_loss = 1.3;
  EXPECT_EQ(JudgeRung(MadeFirst(), rung, {}).change,
            "--learning_rate: 0.1 on v3-8 is 0.4 here; try 0.05, or "
            "--lr_scaling=sqrt (0.2 here), or a longer --warmup_steps");
  // 2.3 to 1.2 is half of it.
  rung.runs.front().last_loss = 1.15;
  EXPECT_THAT(JudgeRung(MadeFirst(), rung, {}).change,
              StartsWith("--batch_per_core"));
}

TEST(JudgeRungTest, WithTheSameGlobalBatchThatIsToBeChanged) {
  Rung rung = MadeRung(0.5, 0.96);
  rung.plan.global_batch = 64;
  rung.plan.learning_rate = 0.1;
  EXPECT_THAT(JudgeRung(MadeFirst(), rung, {}).change,
              StartsWith("--train_batch_size: 64; try a smaller one"));
}

// The mean is 96%: 95.01% passes, 94.99% does not.
TEST(JudgeRungTest, AccuracyMayBeAPointBelow) {
  EXPECT_EQ(FaultOf(MadeRung(0.11, 0.9501)), RungFault::kNone);
  EXPECT_EQ(FaultOf(MadeRung(0.11, 0.9499)), RungFault::kAccuracy);
  EXPECT_EQ(FaultOf(MadeRung(0.11, 1)), RungFault::kNone);
  EXPECT_EQ(JudgeRung(MadeFirst(), MadeRung(0.11, 0.9), {}).reason,
            "eval accuracy 90.00% is more than a point below 96.00%, the mean "
            "of v3-8");
}

TEST(JudgeRungTest, AModelWithoutAccuracyIsJudgedByItsLoss) {
  Rung first = MadeFirst();
  for (RungRun& run : first.runs) run.eval_accuracy.reset();
  Rung rung = MadeRung(0.11, 0);
  rung.runs.front().eval_accuracy.reset();
  EXPECT_TRUE(JudgeRung(first, rung, {}).passed());
}

TEST(JudgeRungTest, ANumberThatIsNoneComesFirst) {
  Rung rung = MadeRung(0.5, 0.1);
  rung.runs.front().not_finite = true;
  rung.runs.front().failure = "loss became nan at step 12 on core 3";
  const RungVerdict verdict = JudgeRung(MadeFirst(), rung, {});
  EXPECT_EQ(verdict.fault, RungFault::kNotFinite);
  EXPECT_EQ(verdict.reason, "loss became nan at step 12 on core 3");
  EXPECT_THAT(verdict.change, AllOf(StartsWith("--learning_rate: 0.1"),
                                    HasSubstr("--warmup_steps")));
  EXPECT_EQ(FaultOf(MadeRung(NAN, 0.96)), RungFault::kNotFinite);
}

TEST(JudgeRungTest, ARunThatFailedSaysWhy) {
  Rung rung = MadeRung(0.11, 0.96);
  rung.runs.front().failure = "host2 was killed by signal 9 (SIGKILL)";
  const RungVerdict verdict = JudgeRung(MadeFirst(), rung, {});
  EXPECT_EQ(verdict.fault, RungFault::kRunFailed);
  EXPECT_EQ(verdict.reason,
            "its run with seed 0 did not end well: host2 was killed by signal "
            "9 (SIGKILL)");
}

TEST(JudgeRungTest, TheSimulatedStepIsThePlannedOne) {
  Rung rung = MadeRung(0.11, 0.96);
  rung.runs.front().sim_step_most = 0.0051;
  const RungVerdict verdict = JudgeRung(MadeFirst(), rung, {});
  EXPECT_EQ(verdict.fault, RungFault::kSimDiffers);
  EXPECT_EQ(verdict.reason,
            "a simulated step of its run takes 0.005 to 0.0051 s, the planned "
            "one 0.005 s");
  // Doubles next to each other are the same picosecond.
  rung.runs.front().sim_step_most = std::nextafter(0.005, 1);
  EXPECT_TRUE(JudgeRung(MadeFirst(), rung, {}).passed());
  rung.runs.front().sim_step_least = rung.runs.front().sim_step_most = 0;
  EXPECT_THAT(JudgeRung(MadeFirst(), rung, {}).reason,
              HasSubstr("no simulated step; planned is one of 5 ms"));
}

TEST(JudgeRungTest, EfficiencyIsJudgedWhereALimitIsGiven) {
  Rung rung = MadeRung(0.11, 0.96);
  rung.plan.efficiency = 0.7949;
  EXPECT_EQ(FaultOf(rung), RungFault::kNone);
  EXPECT_EQ(FaultOf(rung, {.least_efficiency = 0.79}), RungFault::kNone);
  const RungVerdict verdict =
      JudgeRung(MadeFirst(), rung, {.least_efficiency = 0.8});
  EXPECT_EQ(verdict.fault, RungFault::kEfficiency);
  EXPECT_EQ(verdict.reason,
            "efficiency (sim) 79.49% is below 80%, that of --until");
  EXPECT_THAT(verdict.change, StartsWith("--batch_per_core: 8; try 16"));
  // A loss says more.
  rung.runs.front().eval_loss = 0.5;
  EXPECT_EQ(FaultOf(rung, {.least_efficiency = 0.8}), RungFault::kLoss);
}

TEST(JudgeRungTest, APlanThatIsRefusedFailsUntrained) {
  Rung rung = {.plan = {.slice = "v3-32",
                        .refused = "a core needs 20 GiB of HBM",
                        .beyond_hbm = true}};
  RungVerdict verdict = JudgeRung(MadeFirst(), rung, {});
  EXPECT_EQ(verdict.fault, RungFault::kMemory);
  EXPECT_EQ(verdict.reason, "a core needs 20 GiB of HBM");
  EXPECT_THAT(verdict.change, StartsWith("--batch_per_core"));
  rung.plan.beyond_hbm = false;
  verdict = JudgeRung(MadeFirst(), rung, {});
  EXPECT_EQ(verdict.fault, RungFault::kNoPlan);
  EXPECT_EQ(verdict.change, "");
}

TEST(JudgeFirstRungTest, EachSeedMustEndWell) {
  Rung first = MadeFirst();
  EXPECT_TRUE(JudgeFirstRung(first, {}).passed());
  // Its own seeds may lie a point apart and more.
  first.runs[2].eval_accuracy = 0.9;
  EXPECT_TRUE(JudgeFirstRung(first, {}).passed());
  first.runs[2].eval_loss = NAN;
  const RungVerdict verdict = JudgeFirstRung(first, {});
  EXPECT_EQ(verdict.fault, RungFault::kNotFinite);
  EXPECT_EQ(verdict.reason, "a loss is not finite with seed 2");
  EXPECT_EQ(verdict.change,
            "--learning_rate: 0.1; try 0.05, or a longer --warmup_steps");
}

}  // namespace
}  // namespace podsim
