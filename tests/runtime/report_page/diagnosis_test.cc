// Each sickness of a run made by hand is named, with host, phase or link and
// the flag; runs that are well, on a busy machine too, have none named.
#include "runtime/report_page/diagnosis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "runtime/report_page/rules.h"
#include "tests/runtime/report/run_fixture.h"

namespace podsim {
namespace {

using ::podsim::testing::EvenRun;
using ::podsim::testing::PlanText;
using ::podsim::testing::RunOf;
using ::podsim::testing::RunText;
using ::podsim::testing::StepText;
using ::podsim::testing::Took;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string VerdictOf(const RunRecords& run) {
  return Verdict(run, Diagnose(run));
}

TEST(DiagnosisTest, OfAnEvenRunNothingStandsOut) {
  const RunRecords run = RunOf(EvenRun());
  EXPECT_THAT(Diagnose(run), IsEmpty());
  EXPECT_EQ(VerdictOf(run), "nothing stands out");
}

// Four processes on two CPUs that others use as well: in three of ten steps one
// is held up for up to three times what it computes, now this one and now that.
TEST(DiagnosisTest, OfBusyMachinesNothingStandsOut) {
  for (unsigned seed = 1; seed <= 15; ++seed) {
    std::mt19937 random(seed);
    const RunRecords run = RunOf(RunText([&](int, int) {
      const double held_up =
          random() % 10 < 3 ? 0.3 * static_cast<double>(random() % 1000) / 1000
                            : 0;
      return Took{
          .input = 0.0001,
          .compute = 0.1 + held_up +
                     0.02 * static_cast<double>(random() % 1000) / 1000};
    }));
    EXPECT_THAT(Diagnose(run), IsEmpty()) << seed << ": " << VerdictOf(run);
  }
}

// Less than a tick of the scheduler is no slow host, whatever its share.
TEST(DiagnosisTest, SmallDifferencesOfSmallStepsAreNotNamed) {
  EXPECT_THAT(Diagnose(RunOf(RunText([](int, int p) {
                return Took{.compute = p == 1 ? 0.003 : 0.0001};
              }))),
              IsEmpty());
}

TEST(DiagnosisTest, AHostThatComputesSlowly) {
  const RunRecords run = RunOf(
      RunText([](int, int p) { return Took{.compute = p == 2 ? 0.2 : 0.1}; }));
  // 100 ms of 220 ms.
  EXPECT_EQ(VerdictOf(run),
            "host 2 is slow: it comes last in 100% of the steps, 100.0 ms "
            "behind the median, most of it compute, and 45% of the step waits "
            "for it; see what else runs on its machine");
  EXPECT_EQ(Diagnose(run).front().sickness, Sickness::kSlowHost);
  EXPECT_THAT(Diagnose(run), SizeIs(1));
}

TEST(DiagnosisTest, AHostThatReadsSlowly) {
  const RunRecords run = RunOf(RunText([](int step, int p) {
    return Took{.input = p == 3 && step % 5 != 0 ? 0.2 : 0.001, .compute = 0.1};
  }));
  const std::vector<Finding> found = Diagnose(run);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].sentence, HasSubstr("host 3 is slow"));
  EXPECT_THAT(found[0].sentence, HasSubstr("most of it input"));
  EXPECT_EQ(found[0].flag, "--input_threads 4");  // --threads is 2
}

TEST(DiagnosisTest, AHostThatIsSlowedOnPurpose) {
  std::string text =
      RunText([](int, int p) { return Took{.compute = p == 1 ? 0.3 : 0.1}; });
  text +=
      "{\"event\":\"fault\",\"wall_time\":1002,\"kind\":\"SLOW\",\"host\":1,"
      "\"step\":3,\"phase\":\"compute\",\"seconds\":0.2}\n";
  EXPECT_EQ(Diagnose(RunOf(text)).front().flag, "--faults");
}

// Two that take turns are no slow host.
TEST(DiagnosisTest, HostsThatTakeTurnsAreNotNamed) {
  EXPECT_THAT(Diagnose(RunOf(RunText([](int step, int p) {
                return Took{.compute = p == step % 2 ? 0.2 : 0.1};
              }))),
              IsEmpty());
}

TEST(DiagnosisTest, InputThatAllWaitFor) {
  const RunRecords run = RunOf(
      RunText([](int, int) { return Took{.input = 0.068, .compute = 0.112}; }));
  // 68 ms of 200 ms, and decoding takes longest.
  EXPECT_EQ(VerdictOf(run),
            "input-bound: 34% of the step waits for decode; --input_threads 4");
}

TEST(DiagnosisTest, InputThatOneProcessWaitsFor) {
  std::string text = PlanText(1);
  for (int step = 1; step <= 20; ++step)
    text += StepText(step, 1000 + step, {{.input = 0.09, .compute = 0.19}});
  EXPECT_EQ(VerdictOf(RunOf(text)),
            "input-bound: 30% of the step waits for decode; --input_threads 4");
}

// Two processes that decode for 80 ms of each step of 100 ms, mean over both;
// the one that is ahead finds its batch made.
std::string Lockstep(double decode) {
  std::string text = PlanText(2);
  for (int step = 1; step <= 20; ++step)
    text += absl::StrFormat(
        R"({"event":"step","wall_time":%d,"step":%d,"loss":1,"seconds":0.1,)"
        R"("seconds_input":0.09,"seconds_compute":0.005,)"
        R"("seconds_input_decode":%.3f,"last_process":1,)"
        R"("input_us":[0,90000],"compute_us":[5000,5000],)"
        R"("waited_us":[90000,0]})"
        "\n",
        1000 + step, step, decode);
  return text;
}

TEST(DiagnosisTest, HostsThatWaitForEachOthersInput) {
  const std::vector<Finding> found = Diagnose(RunOf(Lockstep(0.08)));
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].sentence,
            "input-bound: 90% of the step waits for decode; --input_threads 4");
}

// Half of the time, as one host that decodes all the time and one that does
// not.
TEST(DiagnosisTest, OneOfTwoHostsWhoseInputIsLate) {
  const std::vector<Finding> found = Diagnose(RunOf(Lockstep(0.05)));
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].sentence, HasSubstr("host 1 is the slower one"));
  EXPECT_THAT(found[0].sentence, HasSubstr("most of it input"));
}

TEST(DiagnosisTest, AFewStepsAreTooFewToJudge) {
  std::string text = PlanText();
  for (int step = 1; step <= 5; ++step)
    text += StepText(step, 1000 + step, {{0.5, 0.1}, {0.5, 0.1}});
  EXPECT_EQ(VerdictOf(RunOf(text)),
            "nothing stands out: 5 steps are too few to judge");
  EXPECT_EQ(VerdictOf(RunOf(PlanText())),
            "nothing stands out: no step is recorded");
}

RunRecords WithForecast(const ForecastRecord& forecast) {
  RunRecords run = RunOf(EvenRun());
  run.forecast = forecast;
  return run;
}

TEST(DiagnosisTest, ABatchThatNoLongerScales) {
  RunRecords run = WithForecast({.step = 0.01,
                                 .exposed = 0.0085,
                                 .fixed = 0.001,
                                 .efficiency = 0.12,
                                 .reference_slice = "v3-8",
                                 .reference_batch = 32});
  run.plan.batch_per_core = 1;
  EXPECT_EQ(VerdictOf(run),
            "the batch no longer scales: with 1 example per core a core does "
            "12% of what one of v3-8 does with 32, and 85% of the step is "
            "exposed all-reduce (sim); --batch_per_core 32");
  run.forecast->efficiency = 0.81;
  EXPECT_THAT(Diagnose(run), IsEmpty());
}

TEST(DiagnosisTest, ALinkAtAQuarterOfItsRate) {
  const RunRecords run =
      WithForecast({.step = 0.009,
                    .fixed = 0.005,
                    .efficiency = 0.75,
                    .reference_slice = "v3-8",
                    .link_faults = {"link (0,0)-(1,0) at 0.25 of its rate"},
                    .sound_step = 0.007});
  // Sound links would have an efficiency of 0.75 x 9 / 7 = 0.96.
  const std::vector<Finding> found = Diagnose(run);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].sentence,
            "link (0,0)-(1,0) at 0.25 of its rate: 50% of the step without its "
            "fixed cost waits for it, 4 ms instead of 2 ms (sim); --ici_fault");
}

TEST(DiagnosisTest, ALinkThatCostsNothingIsNotNamed) {
  EXPECT_THAT(Diagnose(WithForecast({.step = 0.009,
                                     .fixed = 0.001,
                                     .link_faults = {"link (0,0)-(1,0) cut"},
                                     .sound_step = 0.0089})),
              IsEmpty());
}

TEST(DiagnosisTest, FramesThatAreHeldUp) {
  std::string text = EvenRun();  // 40 steps of 120 ms
  for (int step = 1; step <= 10; ++step)
    text += absl::StrCat(
        "{\"event\":\"fault\",\"kind\":\"DELAY\",\"host\":0,\"to\":1,\"step\":",
        step, ",\"seconds\":0.05}\n");
  EXPECT_EQ(VerdictOf(RunOf(text)),
            "the link from host 0 to host 1 is slow: frames came 50.0 ms late "
            "in 10 steps, 10% of the steps' time; --faults");
}

TEST(DiagnosisTest, AStoreThatTheStepWaitsFor) {
  EXPECT_EQ(
      VerdictOf(WithForecast({.step = 0.01, .input = 0.004, .store = 0.009})),
      "input-bound on the pod: 40% of the step waits for the store (sim); "
      "--zone");
}

// Steps of 100 ms, and a checkpoint behind every tenth; each holds up the next
// step for `stall`.
std::string Checkpointed(double stall, double paused) {
  std::string text = PlanText(1);
  double wall_time = 1000;
  for (int step = 1; step <= 40; ++step) {
    const double held_up = step > 1 && step % 10 == 1 ? stall : 0;
    wall_time += 0.1 + held_up;
    text += StepText(step, wall_time, {{0, 0.08}}, held_up);
    if (step % 10 == 0)
      text += absl::StrFormat(
          "{\"event\":\"checkpoint\",\"wall_time\":%.6f,\"step\":%d,"
          "\"bytes\":100,\"seconds_paused\":%.3f,\"seconds_written\":0.01}\n",
          wall_time + 0.01, step, paused);
  }
  return text;
}

TEST(DiagnosisTest, CheckpointsThatStall) {
  // 3 x 1.2 s of 39 x 0.1 s + 3.6 s.
  EXPECT_EQ(VerdictOf(RunOf(Checkpointed(1.2, 0.001))),
            "checkpoints stall training: each holds it up for 1.200 s, 48% of "
            "the time; --checkpoint_every 100");
}

TEST(DiagnosisTest, CheckpointsThatCostLittleAreNotNamed) {
  EXPECT_THAT(Diagnose(RunOf(Checkpointed(0.04, 0.001))), IsEmpty());
}

// What an evaluation takes is not the checkpoint's.
TEST(DiagnosisTest, AnEvaluationBesideACheckpointIsNoStall) {
  std::string text = Checkpointed(1.2, 0.001);
  for (const int step : {10, 20, 30})
    text += absl::StrCat("{\"event\":\"eval\",\"step\":", step, "}\n");
  EXPECT_THAT(Diagnose(RunOf(text)), IsEmpty());
}

TEST(DiagnosisTest, OneCheckpointThatStallsByFar) {
  std::string text = PlanText(1);
  double wall_time = 1000;
  for (int step = 1; step <= 40; ++step) {
    const double held_up = step == 21 ? 3 : 0;
    wall_time += 0.1 + held_up;
    text += StepText(step, wall_time, {{0, 0.08}}, held_up);
    if (step % 10 == 0)
      text += absl::StrCat("{\"event\":\"checkpoint\",\"step\":", step, "}\n");
  }
  // 3 s of 38 x 0.1 s + 3.1 s.
  EXPECT_EQ(VerdictOf(RunOf(text)),
            "a checkpoint stalls training: it holds it up for 3.000 s, 43% of "
            "the time; --checkpoint_every 90");
}

TEST(DiagnosisTest, CheckpointsThatAreSkipped) {
  const std::string text = EvenRun() +
                           "{\"event\":\"checkpoint\",\"step\":10}\n"
                           "{\"event\":\"checkpoint_skipped\",\"step\":20}\n";
  EXPECT_EQ(VerdictOf(RunOf(text)),
            "checkpoints stall: 1 of 2 were skipped, as the store was silent; "
            "--model_dir");
}

TEST(DiagnosisTest, TheEndThatWaitsForItsCheckpoint) {
  // The last of 40 steps of 120 ms ends at 1004.8.
  const std::string text =
      EvenRun() + "{\"event\":\"checkpoint\",\"wall_time\":1008,\"step\":40}\n";
  EXPECT_EQ(VerdictOf(RunOf(text)),
            "the end waits 3.200 s until the last checkpoint is written, 40% "
            "of the run; --model_dir");
}

// The store takes a checkpoint a second; eight are made in 4.8 s.
TEST(DiagnosisTest, TheEndThatWaitsForManyCheckpoints) {
  std::string text = EvenRun();
  for (int n = 1; n <= 8; ++n)
    absl::StrAppend(&text, "{\"event\":\"checkpoint\",\"wall_time\":", 1000 + n,
                    ",\"step\":", 5 * n, "}\n");
  // Of 8 s training takes 4.8: twice as far apart they cost no wait.
  EXPECT_EQ(VerdictOf(RunOf(text)),
            "the end waits 3.200 s until the last 4 checkpoints are written, "
            "40% of the run; --checkpoint_every 20");
}

TEST(DiagnosisTest, AFailureComesBeforeAllElse) {
  const std::string text =
      RunText([](int, int p) { return Took{.compute = p == 2 ? 0.2 : 0.1}; }) +
      "{\"event\":\"failure\",\"wall_time\":1009,\"process\":\"host2\","
      "\"how\":\"was killed by signal 9 (SIGKILL)\",\"step\":41,\"phase\":"
      "\"all-reduce\",\"message\":\"\"}\n";
  const RunRecords run = RunOf(text);
  const std::vector<Finding> found = Diagnose(run);
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].sentence,
            "failed in step 41, all-reduce: host2 was killed by signal 9 "
            "(SIGKILL); --max_restarts");
  EXPECT_EQ(found[1].sickness, Sickness::kSlowHost);
  EXPECT_EQ(StatusText(run), "failed at step 40 of 40");
}

TEST(DiagnosisTest, ALossThatIsNoNumber) {
  std::string text = EvenRun();
  text += "{\"event\":\"step\",\"step\":41,\"loss\":null}\n";
  EXPECT_EQ(VerdictOf(RunOf(text)),
            "training has diverged: the loss is no number from step 41 on; "
            "--learning_rate 0.05");
}

TEST(DiagnosisTest, Restarts) {
  std::string text = PlanText();
  for (int step = 1; step <= 20; ++step)
    text += StepText(step, 1000 + step, {{0, 0.1}, {0, 0.1}});
  text +=
      "{\"event\":\"restart\",\"wall_time\":1025,\"reason\":\"host 2 was "
      "lost\"}\n";
  for (int step = 19; step <= 40; ++step)
    text += StepText(step, 1010 + step, {{0, 0.1}, {0, 0.1}});
  EXPECT_EQ(VerdictOf(RunOf(text)),
            "1 restart, 2 steps made again; the first: host 2 was lost; "
            "--checkpoint_every");
}

TEST(DiagnosisTest, AnAccuracyBelowTheRecipes) {
  const std::string text =
      EvenRun() +
      "{\"event\":\"summary\",\"eval_accuracy\":0.91,\"recipe_accuracy\":"
      "0.955,\"recipe_kept\":false}\n";
  const RunRecords run = RunOf(text);
  EXPECT_EQ(VerdictOf(run),
            "eval accuracy 91.00% is below the recipe's 95.50%, with a global "
            "batch of 256 in 40 steps; --train_batch_size");
  EXPECT_EQ(StatusText(run), "finished at step 40 of 40");
}

// The plan's 10,240 examples are those of 40 steps.
TEST(DiagnosisTest, ARunThatWasCutShortMissesNoRecipe) {
  const auto verdict = [](std::int64_t recipe_examples) {
    std::string text = EvenRun();
    const std::string steps = "\"train_steps\":40";
    text.replace(text.find(steps), steps.size(),
                 steps + ",\"total_examples\":10240");
    return VerdictOf(RunOf(absl::StrCat(
        text,
        "{\"event\":\"summary\",\"eval_accuracy\":0.11,\"recipe_accuracy\":"
        "0.955,\"recipe_kept\":false,\"recipe_examples\":",
        recipe_examples, "}\n")));
  };
  EXPECT_EQ(verdict(10'241), "nothing stands out");
  EXPECT_THAT(verdict(10'240), HasSubstr("is below the recipe's 95.50%"));
}

TEST(DiagnosisTest, WhatCostsMostComesFirst) {
  RunRecords run = RunOf(
      RunText([](int, int) { return Took{.input = 0.068, .compute = 0.112}; }));
  run.forecast = ForecastRecord{.step = 0.01,
                                .fixed = 0.009,
                                .efficiency = 0.2,
                                .reference_slice = "v3-8",
                                .reference_batch = 32};
  const std::vector<Finding> found = Diagnose(run);
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].sickness, Sickness::kBatch);
  EXPECT_EQ(found[1].sickness, Sickness::kInputBound);
}

TEST(StatusTest, ARunThatIsNotOver) {
  EXPECT_EQ(StatusText(RunOf(EvenRun())),
            "not over, or cut off, at step 40 of 40");
}

TEST(ShortenedTest, CutsBetweenCharacters) {
  EXPECT_EQ(Shortened("a\nb"), "a\\nb");
  std::string umlauts;
  for (int i = 0; i < 150; ++i) umlauts += "\xc3\xa4";
  umlauts.insert(0, "a");
  EXPECT_EQ(Shortened(umlauts).size(), 199u + 4u);
}

}  // namespace
}  // namespace podsim
