// Merged figures: sums in host order, whoever comes first.
#include "runtime/coordinator/reports.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "job/phases.h"
#include "job/placement.h"
#include "tests/job/set_metric.h"
#include "tests/runtime/coordinator/pod_script.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::EvalMessage;
using ::podsim::testing::StartOf;
using ::podsim::testing::StatusIs;
using ::podsim::testing::StepMessage;
using ::podsim::testing::TestPlan;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(PlacementTest, ProcessesAndHostsAgree) {
  const JobPlan plan = TestPlan(/*hosts=*/7, /*processes=*/3, /*steps=*/1);
  EXPECT_TRUE(CheckPlacement(plan).ok());
  int next = 0;
  for (int p = 0; p < 3; ++p) {
    const HostRange hosts = HostsOf(plan, p);
    EXPECT_EQ(hosts.first, next);
    for (int h = hosts.first; h < hosts.end; ++h) {
      EXPECT_EQ(ProcessOf(plan, h), p);
      EXPECT_TRUE(hosts.contains(h));
    }
    next = hosts.end;
  }
  EXPECT_EQ(next, 7);
  EXPECT_EQ(DescribeHosts({.first = 4, .end = 5}), "host 4");
  EXPECT_EQ(DescribeHosts({.first = 4, .end = 8}), "hosts 4-7");
}

TEST(PlacementTest, GapsAndEmptyProcessesAreRefused) {
  for (const std::vector<int>& first :
       {std::vector<int>{}, {1, 2}, {0, 0}, {0, 4}, {0, 5}, {2, 1}, {0}}) {
    JobPlan plan = TestPlan(/*hosts=*/4, /*processes=*/2, /*steps=*/1);
    plan.mutable_first_host()->Assign(first.begin(), first.end());
    EXPECT_FALSE(CheckPlacement(plan).ok());
  }
}

TEST(ReportMergerTest, StepIsTheSumOverHosts) {
  JobPlan plan = TestPlan(4, 2, 2);
  plan.mutable_bits()->mutable_learning_rate()->set_warmup_examples(64);
  ReportMerger merger(plan, StartOf(plan));
  for (const int host : {3, 0, 2}) {
    const auto merged = merger.AddStep(StepMessage(host, 1).step());
    EXPECT_TRUE(merged.status.ok());
    EXPECT_FALSE(merged.event);
  }
  const auto merged = merger.AddStep(StepMessage(1, 1).step());
  ASSERT_TRUE(merged.event);
  const StepDone& done = *merged.event;
  EXPECT_EQ(done.step(), 1);
  EXPECT_EQ(done.examples(), 32);
  EXPECT_EQ(::podsim::testing::LossOf(done), 1.0);
  EXPECT_EQ(::podsim::testing::AccuracyOf(done), (0 + 1 + 2 + 3) / 32.0);
  // Of the process that came last (merge_times_test).
  EXPECT_EQ(done.last_process(), 1);
  EXPECT_EQ(done.seconds(), 0.5);
  EXPECT_EQ(done.examples_per_second(), 64);
  EXPECT_EQ(SecondsIn(done.phases(), kComputePhase), 0.25);
  EXPECT_EQ(SecondsIn(done.phases(), kReducePhase), 0.25);
  EXPECT_EQ(done.learning_rate(), 0.25);
  // Means of what StepMessage says of each host.
  EXPECT_DOUBLE_EQ(SecondsIn(done.work(), kProductsWork),
                   0.01 * (0 + 1 + 2 + 3) / 4);
  EXPECT_DOUBLE_EQ(SecondsIn(done.work(), kPackingWork),
                   0.02 * (0 + 1 + 2 + 3) / 4);
  EXPECT_DOUBLE_EQ(SecondsIn(done.work(), kElementwiseWork),
                   0.03 * (0 + 1 + 2 + 3) / 4);
  EXPECT_DOUBLE_EQ(SecondsIn(done.work(), kSumsWork),
                   0.04 * (0 + 1 + 2 + 3) / 4);
  EXPECT_DOUBLE_EQ(SecondsIn(done.input(), kInputRead),
                   0.05 * (0 + 1 + 2 + 3) / 4);
  EXPECT_DOUBLE_EQ(SecondsIn(done.input(), kInputDecode),
                   0.06 * (0 + 1 + 2 + 3) / 4);
  EXPECT_DOUBLE_EQ(SecondsIn(done.input(), kInputAugment),
                   0.07 * (0 + 1 + 2 + 3) / 4);
  EXPECT_DOUBLE_EQ(SecondsIn(done.input(), kInputCopy),
                   0.08 * (0 + 1 + 2 + 3) / 4);

  for (int host = 0; host < 4; ++host) {
    const auto second = merger.AddStep(StepMessage(host, 2).step());
    if (host < 3) continue;
    ASSERT_TRUE(second.event);
    EXPECT_EQ(second.event->examples(), 64);
    EXPECT_EQ(second.event->learning_rate(), 0.5);
  }
  EXPECT_EQ(merger.steps_done(), 2);
  EXPECT_EQ(merger.examples(), 64);
}

TEST(ReportMergerTest, ArrivalOrderChangesNoBit) {
  constexpr int kHosts = 16;
  const JobPlan plan = TestPlan(kHosts, 4, 1);
  std::vector<StepReport> reports;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> loss(0, 1e-3);
  for (int host = 0; host < kHosts; ++host) {
    reports.push_back(StepMessage(host, 1).step());
    ::podsim::testing::SetLossSum(reports.back(), loss(random));
  }
  double expected = 0;
  for (const StepReport& report : reports)
    expected += ::podsim::testing::LossOf(report);
  for (int round = 0; round < 20; ++round) {
    std::shuffle(reports.begin(), reports.end(), random);
    ReportMerger merger(plan, StartOf(plan));
    Merged<StepDone> merged;
    for (const StepReport& report : reports) {
      merged = merger.AddStep(report);
    }
    ASSERT_TRUE(merged.event);
    EXPECT_EQ(::podsim::testing::LossOf(*merged.event), expected);
  }
}

TEST(ReportMergerTest, StepsComeInOrderAndOnce) {
  const JobPlan plan = TestPlan(2, 2, 2);
  for (const std::vector<int>& steps :
       {std::vector<int>{2}, {1, 1}, {0}, {-1}, {1, 2, 3}}) {
    ReportMerger merger(plan, StartOf(plan));
    Merged<StepDone> merged;
    for (const int step : steps) {
      EXPECT_TRUE(merged.status.ok());
      merged = merger.AddStep(StepMessage(1, step).step());
    }
    EXPECT_THAT(merged.status,
                StatusIs(absl::StatusCode::kInternal, HasSubstr("host 1")));
    EXPECT_EQ(merged.host, 1);
  }
}

TEST(ReportMergerTest, TheOddGradientIsNamed) {
  const JobPlan plan = TestPlan(4, 4, 3);
  ReportMerger merger(plan, StartOf(plan));
  Merged<StepDone> merged;
  for (int host = 0; host < 4; ++host) {
    merged =
        merger.AddStep(StepMessage(host, 1, host == 2 ? 0xbad : 0x600d).step());
  }
  EXPECT_THAT(merged.status,
              StatusIs(absl::StatusCode::kDataLoss,
                       AllOf(HasSubstr("step 1"), HasSubstr("host 2"),
                             HasSubstr("0bad"), HasSubstr("600d"))));
  EXPECT_EQ(merged.host, 2);
}

TEST(ReportMergerTest, EvaluationsAreMeansOverExamples) {
  const JobPlan plan = TestPlan(2, 1, 1);
  ReportMerger merger(plan, StartOf(plan));
  merger.AddStep(StepMessage(0, 1).step());
  merger.AddStep(StepMessage(1, 1).step());
  EXPECT_FALSE(merger.AddEval(EvalMessage(1, 1).eval()).event);
  const auto merged = merger.AddEval(EvalMessage(0, 1).eval());
  ASSERT_TRUE(merged.event);
  EXPECT_EQ(merged.event->step(), 1);
  EXPECT_EQ(merged.event->examples(), 10);
  EXPECT_EQ(CorrectExamples(merged.event->metrics()), 8);
  EXPECT_EQ(::podsim::testing::LossOf(*merged.event), 0.6);
  EXPECT_EQ(::podsim::testing::AccuracyOf(*merged.event), 0.8);
}

// Whatever a model measures goes by its name.
TEST(ReportMergerTest, OtherMetricsAreCarriedToo) {
  const JobPlan plan = TestPlan(2, 1, 1);
  ReportMerger merger(plan, StartOf(plan));
  Merged<StepDone> merged;
  for (const int host : {1, 0}) {
    StepReport report = StepMessage(host, 1).step();
    MetricSum& largest = *report.add_metrics();
    largest.set_name("largest");
    largest.set_combine(MetricSum::MAXIMUM);
    largest.set_total(host - 5);
    merged = merger.AddStep(report);
  }
  ASSERT_TRUE(merged.event);
  ASSERT_EQ(merged.event->metrics_size(), 3);
  EXPECT_EQ(MetricValue(merged.event->metrics(), "largest"), -4);
}

TEST(ReportMergerTest, EvaluationsOutOfTurnAreRefused) {
  const JobPlan plan = TestPlan(2, 1, 1);
  ReportMerger merger(plan, StartOf(plan));
  EXPECT_THAT(merger.AddEval(EvalMessage(0, 1).eval()).status,
              StatusIs(absl::StatusCode::kInternal, HasSubstr("host 0")));
  merger.AddStep(StepMessage(0, 1).step());
  EXPECT_TRUE(merger.AddEval(EvalMessage(0, 1).eval()).status.ok());
  EXPECT_THAT(merger.AddEval(EvalMessage(0, 1).eval()).status,
              StatusIs(absl::StatusCode::kInternal, HasSubstr("host 0")));
}

}  // namespace
}  // namespace podsim
