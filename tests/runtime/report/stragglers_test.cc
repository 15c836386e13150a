// Who came last, from what the steps say of each process.
#include "runtime/report/stragglers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "job/phases.h"

namespace podsim {
namespace {

using ::testing::ElementsAre;

struct Did {
  float input = 0;
  float compute = 0;
  float waited = 0;
};

StepDone Step(int last, const std::vector<Did>& processes, double seconds = 1) {
  StepDone step;
  step.set_seconds(seconds);
  step.set_last_process(last);
  for (const Did& did : processes) {
    AddOfProcess(kInputPhase, did.input, step);
    AddOfProcess(kComputePhase, did.compute, step);
    step.add_process_seconds_waited(did.waited);
  }
  return step;
}

JobPlan PlanOf(int hosts, int processes) {
  JobPlan plan;
  plan.mutable_bits()->set_hosts(hosts);
  plan.mutable_spec()->set_processes(processes);
  for (int p = 0; p < processes; ++p)
    plan.add_first_host(hosts * p / processes);
  return plan;
}

TEST(LatenessTest, IsCountedFromTheMedianOfTheOthers) {
  const auto late = LatenessOf(
      Step(2, {{.waited = 0.5F}, {.waited = 0.25F}, {}, {.waited = 4}}));
  ASSERT_TRUE(late.has_value());
  EXPECT_EQ(late->process, 2);
  EXPECT_EQ(late->behind, 0.5);
}

TEST(LatenessTest, OfTwoInTheMiddleTheLaterCounts) {
  EXPECT_EQ(LatenessOf(Step(0, {{}, {.waited = 2}, {.waited = 1}}))->behind, 1);
  EXPECT_EQ(LatenessOf(Step(1, {{.waited = 3}, {}}))->behind, 3);
}

TEST(LatenessTest, SaysWhatItCameOf) {
  // The median is process 0: 0.25 later with its input, 0.5 with its work.
  const auto late =
      LatenessOf(Step(1, {{.input = 0.25F, .compute = 1, .waited = 0.75F},
                          {.input = 0.5F, .compute = 1.5F},
                          {.input = 9, .compute = 9, .waited = 0.5F},
                          {.waited = 9}}));
  EXPECT_EQ(late->by_input, 0.25);
  EXPECT_EQ(late->by_compute, 0.5);
  // Never more than there is, nor less than nothing.
  const auto early = LatenessOf(
      Step(1, {{.compute = 3, .waited = 1}, {.input = 5, .compute = 1}}));
  EXPECT_EQ(early->by_input, 1);
  EXPECT_EQ(early->by_compute, 0);
}

TEST(LatenessTest, IsNotKnownOfOneProcessNorFromHalfAStory) {
  EXPECT_FALSE(LatenessOf(StepDone()).has_value());
  EXPECT_FALSE(LatenessOf(Step(0, {{}})).has_value());
  EXPECT_FALSE(LatenessOf(Step(2, {{}, {}})).has_value());
  EXPECT_FALSE(LatenessOf(Step(-1, {{}, {}})).has_value());
  StepDone unknown = Step(0, {{}, {}});
  unknown.clear_process_seconds_waited();
  EXPECT_FALSE(LatenessOf(unknown).has_value());
}

TEST(StragglerMeterTest, NamesWhoCostMostNotWhoCameLastMost) {
  StragglerMeter meter;
  EXPECT_FALSE(meter.Measured().has_value());
  meter.OnStep(StepDone());  // tells nothing
  for (int i = 0; i < 3; ++i)
    meter.OnStep(Step(0, {{}, {.waited = 0.25F}, {.waited = 0.25F}}));
  meter.OnStep(Step(
      2, {{.waited = 2}, {.waited = 2}, {.input = 2, .compute = 0.5F}}, 5));
  const auto worst = meter.Measured();
  ASSERT_TRUE(worst.has_value());
  EXPECT_EQ(worst->process, 2);
  EXPECT_EQ(worst->came_last, 1);
  EXPECT_EQ(worst->steps, 4);
  EXPECT_EQ(worst->behind, 2);
  EXPECT_EQ(worst->by_input, 2);
  EXPECT_EQ(worst->by_compute, 0.5);
  EXPECT_EQ(worst->of_time, 2.0 / 8);
  EXPECT_THAT(meter.came_last(), ElementsAre(3, 0, 1));
}

TEST(StragglerTextTest, ReadsAsPeopleSayIt) {
  Straggler straggler = {.process = 2,
                         .came_last = 61,
                         .steps = 100,
                         .behind = 0.0019,
                         .by_input = 0.0005,
                         .by_compute = 0.0004,
                         .of_time = 0.123};
  EXPECT_EQ(FormatStraggler(straggler, PlanOf(4, 4)),
            "host 2 came last in 61% of steps, 1.9 ms behind the median: 12.3% "
            "of the time");
  straggler.by_input = 0.0018;
  EXPECT_EQ(FormatStraggler(straggler, PlanOf(16, 4)),
            "hosts 8-11 came last in 61% of steps, 1.9 ms behind the median, "
            "most of it input: 12.3% of the time");
  straggler = {
      .process = 1, .came_last = 1, .steps = 1, .behind = 2, .by_compute = 2};
  EXPECT_EQ(FormatStraggler(straggler, PlanOf(2, 2)),
            "host 1 came last in 100% of steps, 2.000 s behind the other, most "
            "of it compute: 0.0% of the time");
}

}  // namespace
}  // namespace podsim
