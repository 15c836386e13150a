// Where the time of hand-made runs went.
#include "runtime/report_page/run_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runtime/report/run_fixture.h"

namespace podsim {
namespace {

using ::podsim::testing::EvenRun;
using ::podsim::testing::PlanText;
using ::podsim::testing::RunOf;
using ::podsim::testing::RunText;
using ::podsim::testing::StepText;
using ::podsim::testing::Took;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(ProcessStepsTest, AddUpToTheStep) {
  const std::vector<ProcessStep> steps =
      ProcessStepsOf(RunOf(RunText([](int, int p) {
        return Took{.input = 0.01, .compute = p == 2 ? 0.25 : 0.1};
      })));
  ASSERT_THAT(steps, SizeIs(4));
  EXPECT_EQ(steps[2].hosts, "host 2");
  for (const ProcessStep& each : steps) {
    double sum = 0;
    for (const auto& [name, seconds] : each.parts) sum += seconds;
    EXPECT_NEAR(sum, 0.28, 1e-6) << each.hosts;
  }
  EXPECT_NEAR(steps[0].parts[2].second, 0.15, 1e-6);  // waits for host 2
  EXPECT_EQ(steps[0].came_last, 0);
  EXPECT_EQ(steps[0].behind, 0);
  EXPECT_NEAR(steps[2].parts[1].second, 0.25, 1e-6);
  EXPECT_EQ(steps[2].parts[2].second, 0);
  EXPECT_EQ(steps[2].came_last, 1);
  EXPECT_NEAR(steps[2].behind, 0.15, 1e-6);
}

TEST(ProcessStepsTest, OfOneProcessHaveEveryPhase) {
  std::string text = PlanText(1);
  for (int step = 1; step <= 3; ++step)
    text += StepText(step, 1000 + step, {{0.01, 0.1}});
  const std::vector<ProcessStep> steps = ProcessStepsOf(RunOf(text));
  ASSERT_THAT(steps, SizeIs(1));
  ASSERT_THAT(steps[0].parts, SizeIs(5));
  EXPECT_NEAR(steps[0].parts[0].second, 0.01, 1e-9);
  EXPECT_NEAR(steps[0].parts[1].second, 0.1, 1e-9);
  EXPECT_NEAR(steps[0].parts[2].second, 0.02, 1e-9);
}

TEST(ProcessStepsTest, WithoutStepsThereAreNone) {
  EXPECT_THAT(ProcessStepsOf(RunOf(PlanText())), IsEmpty());
}

TEST(RunTimeTest, IsTheSummarys) {
  const RunTime time = RunTimeOf(
      RunOf(EvenRun() +
            "{\"event\":\"summary\",\"goodput\":{\"fraction\":0.8,"
            "\"seconds_wall\":5,\"seconds_productive\":4,\"steps_lost\":7,"
            "\"OTHER\":0.3,\"PROGRAM_STARTUP\":0.7,\"TRAINING_PREP\":0}}\n"));
  EXPECT_FALSE(time.estimated);
  EXPECT_DOUBLE_EQ(time.wall, 5);
  ASSERT_THAT(time.parts, SizeIs(3));
  EXPECT_EQ(time.parts[0].first, "productive");
  EXPECT_EQ(time.parts[1].first, "PROGRAM_STARTUP");
  EXPECT_EQ(time.parts[2].first, "OTHER");
}

TEST(RunTimeTest, IsEstimatedWithoutOne) {
  std::string text = PlanText();  // at 1000
  for (int step = 1; step <= 10; ++step)
    text += StepText(step, 1002 + 0.22 * step, {{0.1, 0.1}, {0.1, 0.1}});
  const RunTime time = RunTimeOf(RunOf(text));
  EXPECT_TRUE(time.estimated);
  EXPECT_NEAR(time.wall, 4.2, 1e-6);
  ASSERT_THAT(time.parts, SizeIs(3));
  EXPECT_EQ(time.parts[0].first, "productive");
  EXPECT_NEAR(time.parts[0].second, 1.2, 1e-6);  // 10 x (220 - 100) ms
  EXPECT_EQ(time.parts[1].first, "OTHER");
  EXPECT_NEAR(time.parts[1].second, 2.0, 1e-6);
  EXPECT_EQ(time.parts[2].first, "DATA_LOADING_SYNC");
  EXPECT_NEAR(time.parts[2].second, 1.0, 1e-6);
}

}  // namespace
}  // namespace podsim
