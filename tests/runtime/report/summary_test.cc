// From events to the closing block.
#include "runtime/report/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/units.h"
#include "job/phases.h"
#include "job/plan_warning.h"
#include "tests/job/set_metric.h"

namespace podsim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr SummaryStyle kVerbose = {.verbose = true};
constexpr double kStart = 5000;  // seconds since 1970

JobEvent FormedAt(double time) {
  JobEvent event;
  event.set_wall_time(time);
  JobPlan* plan = event.mutable_formed()->mutable_plan();
  plan->set_hash("abc123");
  plan->mutable_bits()->set_slice("v3-32");
  plan->mutable_bits()->mutable_model()->set_name("mlp");
  plan->mutable_bits()->mutable_dataset()->set_name("digits");
  return event;
}

JobEvent StartedAt(double time) {
  JobEvent event;
  event.set_wall_time(time);
  event.mutable_started();
  return event;
}

JobEvent StepAt(double time, std::int64_t number) {
  JobEvent event;
  event.set_wall_time(time);
  StepDone* step = event.mutable_step();
  step->set_step(number);
  step->set_examples(number * 100);
  testing::SetLossSum(*step, 1.0 / static_cast<double>(number));
  testing::SetMean(*step, kAccuracyMetric, 0.5);
  step->set_seconds(0.01);
  AddSeconds(kInputPhase, 0.001, *step->mutable_phases());
  AddSeconds(kComputePhase, 0.005, *step->mutable_phases());
  AddSeconds(kReducePhase, 0.002, *step->mutable_phases());
  AddSeconds(kUpdatePhase, 0.001, *step->mutable_phases());
  AddSeconds(kOtherPhase, 0.001, *step->mutable_phases());
  AddSeconds(kProductsWork, 0.004, *step->mutable_work());
  AddSeconds(kPackingWork, 0.0005, *step->mutable_work());
  AddSeconds(kElementwiseWork, 0.001, *step->mutable_work());
  return event;
}

TEST(SummaryOverlapTest, NoiseBelowNothingIsNothing) {
  RunSummary summary;
  summary.overlap = Overlap{.serial_step = 0.010,
                            .overlapped_step = 0.011,
                            .communication = 0.005,
                            .serial_steps = 3};
  EXPECT_THAT(FormatSummary(summary, kVerbose),
              HasSubstr("no all-reduce time is overlapped (5.0 ms): a step"));
  summary.overlap->overlapped_step = 0.008;
  EXPECT_THAT(FormatSummary(summary, kVerbose),
              HasSubstr("40% of 5.0 ms of all-reduce is overlapped: a step"));
}

class SummaryTest : public ::testing::Test {
 protected:
  // The event arrives when it happened.
  void Send(const JobEvent& event) {
    collector_.OnEvent(event,
                       absl::UnixEpoch() + absl::Seconds(event.wall_time()));
  }
  void SendRun() {
    Send(FormedAt(kStart + 0.25));
    Send(StartedAt(kStart + 0.25));
    Send(StepAt(kStart + 0.5, 1));
    Send(StepAt(kStart + 1.0, 2));
    Send(StepAt(kStart + 1.5, 3));
    JobEvent done;
    done.mutable_done()->set_weights_hash("feed");
    done.mutable_done()->set_steps(3);
    done.mutable_done()->set_examples(300);
    Send(done);
  }

  SummaryCollector collector_{absl::UnixEpoch() + absl::Seconds(kStart)};
};

TEST_F(SummaryTest, GathersRatesAndPhases) {
  SendRun();
  const RunSummary& summary = collector_.summary();
  EXPECT_EQ(summary.steps, 3);
  EXPECT_EQ(summary.examples, 300);
  EXPECT_EQ(summary.weights_hash, "feed");
  EXPECT_EQ(summary.time_to_first_step, absl::Seconds(0.5));
  EXPECT_EQ(summary.training, absl::Seconds(1.25));
  // 200 examples in the second after the first step.
  EXPECT_DOUBLE_EQ(summary.examples_per_second, 200);
  EXPECT_DOUBLE_EQ(SecondsIn(summary.phases.of_step, kComputePhase), 0.015);
  EXPECT_DOUBLE_EQ(summary.loss, 1.0 / 3);
}

TEST_F(SummaryTest, NamesASlowLink) {
  SendRun();
  RunSummary summary = collector_.summary();
  SlowLink& slow = *summary.plan.mutable_slow_link();
  slow.set_link("link (1,0)-(2,0) at 0.5 of its rate");
  slow.set_rate(0.5);
  slow.set_other(1);
  EXPECT_THAT(
      FormatSummary(summary, {.columns = 200}),
      HasSubstr("\n  slow link           link (1,0)-(2,0) at 0.5 of its "
                "rate: a MB between hosts 0 and 1 takes 1 ms longer, "
                "wall\n"));
  slow.set_unseen("both chips are of host 0");
  EXPECT_THAT(FormatSummary(summary, {.columns = 200}),
              AllOf(HasSubstr("\n  WARNING             link (1,0)-(2,0) at 0.5 "
                              "of its rate slows the forecast alone\n"),
                    Not(HasSubstr("slow link"))));
}

TEST_F(SummaryTest, NamesTheBottleneckOfItsInput) {
  SendRun();
  EXPECT_THAT(FormatSummary(collector_.summary(), kVerbose),
              Not(HasSubstr("making a batch")));
  JobEvent event = StepAt(kStart + 2.0, 4);
  Phases& input = *event.mutable_step()->mutable_input();
  AddSeconds(kInputRead, 0.004, input);
  AddSeconds(kInputDecode, 0.02, input);
  AddSeconds(kInputAugment, 0.008, input);
  AddSeconds(kInputCopy, 0.001, input);
  Send(event);
  EXPECT_DOUBLE_EQ(SecondsIn(collector_.summary().phases.input, kInputDecode),
                   0.02);
  const std::string text = FormatSummary(collector_.summary(), kVerbose);
  EXPECT_THAT(text,
              HasSubstr("waited for 10% of a step; making a batch takes"));
  EXPECT_THAT(text, HasSubstr("read 1.0 ms, decode 5.0 ms (bottleneck),"));
}

TEST_F(SummaryTest, SaysWhatRanAndWhichClock) {
  SendRun();
  JobEvent eval;
  testing::SetMean(*eval.mutable_eval(), kAccuracyMetric, 288, 299);
  eval.mutable_eval()->set_examples(299);
  Send(eval);
  const SimTime all = SimTime::Picoseconds(1'234'000'000);
  collector_.set_forecast({.step = {.compute = all, .total = all},
                           .algorithm = ChipAlgorithm::kRing});
  const std::string text = FormatSummary(collector_.summary(), kVerbose);
  EXPECT_THAT(text, HasSubstr("mlp on digits, v3-32: 3 steps, 300 examples"));
  EXPECT_THAT(text,
              HasSubstr("  eval accuracy       96.32% (288 of 299 examples)"));
  EXPECT_THAT(text, HasSubstr("feed"));
  EXPECT_THAT(text, HasSubstr("abc123"));
  EXPECT_THAT(text, HasSubstr("  time to first step  500.0 ms wall; training "
                              "1.250 s wall, 200 examples/s\n"));
  EXPECT_THAT(text,
              HasSubstr("  wall per step       10.0 ms: input 1.0 ms (10%), "
                        "compute 5.0 ms (50%),\n"
                        "                      all-reduce 2.0 ms (20%), "
                        "update 1.0 ms (10%),\n"
                        "                      other 1.0 ms (10%)\n"));
  EXPECT_THAT(text, HasSubstr("compute, mean       products 4.0 ms, packing "
                              "500.0 us, element-wise 1.0 ms\n"));
  EXPECT_THAT(text, HasSubstr("1.234 ms sim: ring, bound by compute\n"));
}

// A job of 3 steps of 50 us on 16 chips.
JobForecast ShortForecast() {
  const auto us = [](int n) { return SimTime::Picoseconds(n * 1'000'000LL); };
  return {.step = {.compute = us(15),
                   .communication = us(30),
                   .update = us(5),
                   .exposed_communication = us(25),
                   .fixed = us(5),
                   .total = us(50)},
          .algorithm = ChipAlgorithm::kTorusAll,
          .steps = 3,
          .chips = 16,
          .model_flops = 2e6,
          .peak_flops = 1e12,
          .start_up = SimTime::Seconds(80)};
}

int Lines(const std::string& text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

// What a screen has room for, and nothing but the agreed lines.
TEST_F(SummaryTest, TakesTenLines) {
  JobEvent formed = FormedAt(kStart + 0.25);
  JobPlan& plan = *formed.mutable_formed()->mutable_plan();
  plan.set_hash(std::string(64, 'b'));
  plan.set_recipe_accuracy(0.96);
  SendRun();
  Send(formed);
  JobEvent eval;
  testing::SetMean(*eval.mutable_eval(), kAccuracyMetric, 288, 299);
  testing::SetMean(*eval.mutable_eval(), kLossMetric, 74.75, 299);
  eval.mutable_eval()->set_examples(299);
  Send(eval);
  collector_.set_forecast(ShortForecast());
  RunSummary summary = collector_.summary();
  summary.weights_hash = std::string(64, 'a');
  EXPECT_EQ(FormatSummary(summary),
            "done: mlp on digits, v3-32: 3 steps, 300 examples\n"
            "  last step           loss 0.3333, accuracy 50.00%\n"
            "  eval accuracy       96.32% (288 of 299 examples), loss 0.2500\n"
            "  recipe's promise    96%: kept\n"
            "  weights hash  " +
                std::string(64, 'a') +
                "\n"
                "  time to first step  500.0 ms wall; training 1.250 s wall, "
                "200 examples/s\n"
                "  simulated run       80 s sim: start-up 80 s, steps 150 us; "
                "MFU 4%\n"
                "  simulated phases    compute 30%, all-reduce 50%, update "
                "10%, fixed 10%\n"
                "  input               NOT input-bound sim, MODERATELY "
                "input-bound wall\n"
                "  simulated step      50.0 us sim: torus_all, bound by the "
                "all-reduce\n");
  // Without a promise there is room for more.
  RunSummary unpromised = summary;
  unpromised.plan.clear_recipe_accuracy();
  EXPECT_THAT(FormatSummary(unpromised),
              AllOf(HasSubstr("  wall per step       10.0 ms, the largest part "
                              "compute 5.0 ms (50%)\n"),
                    Not(HasSubstr("goodput"))));
  // What went wrong comes in the place of what matters less.
  summary.restarts = 1;
  summary.savings = {.count = 2, .bytes = 1024, .last = "m/3"};
  const std::string restarted = FormatSummary(summary);
  EXPECT_EQ(Lines(restarted), 10) << restarted;
  EXPECT_THAT(restarted, HasSubstr("  restarts            1\n"));
  EXPECT_THAT(restarted, Not(HasSubstr("plan hash")));
  EXPECT_THAT(restarted, Not(HasSubstr("checkpoints")));
  EXPECT_GT(Lines(FormatSummary(summary, kVerbose)), 10);
  summary.restarts = 0;
  summary.eval.reset();  // and with it the promise
  summary.forecast.reset();
  EXPECT_THAT(
      FormatSummary(summary),
      AllOf(HasSubstr("  checkpoints         2 saved, the last m/3 (1.00 "
                      "KiB)\n"),
            HasSubstr("\n  plan hash     " + std::string(64, 'b') + "\n"),
            HasSubstr("  goodput             " +
                      FormatGoodput(*summary.goodput) + "\n")));
}

// A job in which all went wrong that may.
TEST_F(SummaryTest, TakesTenLinesWhateverHappened) {
  SendRun();
  collector_.set_forecast(ShortForecast());
  RunSummary summary = collector_.summary();
  summary.weights_hash = std::string(64, 'a');
  summary.plan.set_hash(std::string(64, 'b'));
  summary.plan.set_recipe_accuracy(0.96);
  summary.plan.mutable_core_memory()->set_hbm(kGiB);
  SlowLink& slow = *summary.plan.mutable_slow_link();
  slow.set_link("link (1,0)-(2,0) at 0.25 of its rate");
  slow.set_rate(0.25);
  PlanWarning& warning = *summary.plan.add_warnings();
  warning.set_kind("few steps");
  warning.set_text("only 60 steps are left; the recipe needs 125 to converge");
  EvalDone& eval = summary.eval.emplace();
  testing::SetMean(eval, kAccuracyMetric, 288, 299);
  eval.set_examples(299);
  summary.restarts = 2;
  summary.savings = {.count = 2, .bytes = 1024, .last = "m/3"};
  summary.faults.emplace();
  const std::string text = FormatSummary(summary);
  EXPECT_LE(Lines(text), 10) << text;
  for (const char* label :
       {"  eval accuracy ", "  recipe's promise ", "  WARNING ",
        "  weights hash ", "  faults ", "  simulated run ",
        "  simulated phases ", "  input and HBM "})
    EXPECT_THAT(text, HasSubstr(label));
}

TEST_F(SummaryTest, SaysWhatThePodWouldHaveTaken) {
  collector_.set_forecast(ShortForecast());
  SendRun();
  RunSummary summary = collector_.summary();
  summary.plan.mutable_core_memory()->set_hbm(16 * kGiB);
  summary.plan.mutable_core_memory()->set_parameters(288 * kKiB);
  summary.phases.of_step.Clear();
  EXPECT_THAT(
      FormatSummary(summary),
      HasSubstr("  input and HBM       NOT input-bound sim and wall; HBM "
                "288.00 KiB of 16.00 GiB\n"));
  const std::string text = FormatSummary(summary, kVerbose);
  // 80.00015 s on 16 chips are 0.356 hours of one.
  EXPECT_THAT(text, HasSubstr("  simulated run       80 s sim: start-up 80 s, "
                              "steps 150 us; MFU 4%;\n"
                              "                      0.356 chip-hours\n"));
  EXPECT_THAT(text, HasSubstr("compute 15 us (30%), exposed all-reduce 25 us"));
  EXPECT_THAT(text, HasSubstr("NOT input-bound sim (0.0%), NOT input-bound "
                              "wall (0.0%);"));
  EXPECT_THAT(text, HasSubstr("  simulated step      50.0 us sim: torus_all, "
                              "bound by the all-reduce\n"));
}

TEST_F(SummaryTest, WarnsOfOldCheckpointsThatCouldNotBeDeleted) {
  SendRun();
  EXPECT_THAT(FormatSummary(collector_.summary()), Not(HasSubstr("WARNING")));
  JobEvent event;
  event.mutable_deleted()->set_step(1);
  event.mutable_deleted()->set_error("no permission");
  Send(event);  // after the job is done, as most are
  EXPECT_THAT(FormatSummary(collector_.summary()),
              HasSubstr("  WARNING             1 old checkpoint could not be "
                        "deleted: no permission\n"));
}

TEST_F(SummaryTest, SaysWhatAJobThatEndedEarlyLeaves) {
  SendRun();
  JobEvent done;
  done.mutable_done()->set_drained(true);
  Send(done);
  EXPECT_THAT(FormatSummary(collector_.summary()),
              AllOf(StartsWith("drained: mlp"),
                    HasSubstr("\n                      nothing was saved: "
                              "--model_dir=DIR keeps the work\n")));
  RunSummary saved = collector_.summary();
  saved.plan.mutable_spec()->set_model_dir("m");
  EXPECT_THAT(FormatSummary(saved),
              AllOf(HasSubstr("the same command again resumes from here\n"),
                    Not(HasSubstr("nothing was saved"))));
}

TEST_F(SummaryTest, HoldsTheAccuracyAgainstTheRecipesPromise) {
  JobEvent formed = FormedAt(kStart);
  JobPlan* plan = formed.mutable_formed()->mutable_plan();
  plan->set_recipe_accuracy(0.975);
  AddWarning("fewer steps than the 125 that the recipe needs",
             "only 15 steps are left; the recipe needs 125 to converge: "
             "the largest slice that leaves so many is v3-8",
             *plan);
  Send(formed);
  SendRun();  // forms again, with no promise
  EXPECT_FALSE(HasPromise(collector_.summary()));
  Send(formed);
  EXPECT_FALSE(HasPromise(collector_.summary())) << "not evaluated";
  JobEvent eval;
  testing::SetMean(*eval.mutable_eval(), kAccuracyMetric, 0.974);
  eval.mutable_eval()->set_examples(1000);
  Send(eval);
  EXPECT_TRUE(HasPromise(collector_.summary()));
  EXPECT_FALSE(KeepsPromise(collector_.summary()));
  const std::string text = FormatSummary(collector_.summary());
  EXPECT_THAT(text, HasSubstr("  recipe's promise    97.5%: NOT kept\n"));
  EXPECT_THAT(text, HasSubstr("  WARNING             only 15 steps are left; "
                              "the recipe needs 125 to converge\n"));
  EXPECT_THAT(FormatSummary(collector_.summary(), kVerbose),
              HasSubstr("  WARNING             only 15 steps are left; "
                        "the recipe needs 125 to converge:\n"
                        "                      the largest slice that "
                        "leaves so many is v3-8\n"));
  testing::SetMean(*eval.mutable_eval(), kAccuracyMetric, 0.975);
  Send(eval);
  EXPECT_THAT(FormatSummary(collector_.summary()), HasSubstr("97.5%: kept\n"));
}

TEST_F(SummaryTest, NamesTheRun) {
  JobEvent formed = FormedAt(kStart + 0.25);
  formed.mutable_formed()->mutable_plan()->mutable_spec()->set_run_name(
      "nightly");
  Send(formed);
  EXPECT_THAT(FormatSummary(collector_.summary()),
              StartsWith("done: nightly: mlp on digits, v3-32: "));
}

TEST_F(SummaryTest, SaysWhereTheTimeWent) {
  SendRun();
  const std::string text = FormatSummary(collector_.summary(), kVerbose);
  EXPECT_THAT(text, HasSubstr("goodput             83.1% of 1.500 s wall"));
  EXPECT_THAT(text, HasSubstr("TPU_INITIALIZATION 250.0 ms"));
}

TEST_F(SummaryTest, WrapsALongListOfLosses) {
  Send(FormedAt(kStart + 0.25));
  Send(StartedAt(kStart + 0.5));
  Send(StepAt(kStart + 1.5, 1));
  Send(StepAt(kStart + 2.0, 2));
  Send(FormedAt(kStart + 3.0));
  JobEvent done;
  done.mutable_done();
  done.set_wall_time(kStart + 4);
  Send(done);
  EXPECT_THAT(
      FormatSummary(collector_.summary(), kVerbose),
      HasSubstr("  badput              WASTED_PROGRESS_FROM_DISRUPTION 1.000 "
                "s,\n"
                "                      INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION "
                "1.000 s,\n"
                "                      OTHER 1.000 s, PROGRAM_STARTUP 500.0 "
                "ms,\n"));
}

TEST_F(SummaryTest, AccountsForFaults) {
  JobEvent formed = FormedAt(kStart);
  Fault* fault = formed.mutable_formed()->mutable_plan()->add_faults();
  fault->set_kind(Fault::KILL);
  fault->set_step(2);
  Send(formed);
  SendRun();
  const std::string text = FormatSummary(collector_.summary());
  EXPECT_THAT(text, HasSubstr("faults              injected 0, detected 0"));
  EXPECT_THAT(text, HasSubstr("warning: fault 0 (KILL host 0 at step 2) did"));
}

TEST_F(SummaryTest, LeavesOutWhatIsNotKnown) {
  const std::string text = FormatSummary(collector_.summary());
  EXPECT_THAT(text, HasSubstr("not evaluated"));
  EXPECT_THAT(text, Not(HasSubstr("time to first step")));
  EXPECT_THAT(text, Not(HasSubstr("simulated")));
  EXPECT_THAT(text, Not(HasSubstr("goodput")));
  EXPECT_THAT(text, Not(HasSubstr("faults")));
  EXPECT_THAT(text, Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace podsim
