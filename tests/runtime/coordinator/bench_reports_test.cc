// Rows out of the hosts' reports: times as asked, all that is wrong, and
// barriers judged by the clock.
#include "runtime/coordinator/bench_reports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runtime/coordinator/pod_script.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::BenchMessage;
using ::podsim::testing::BenchTestPlan;
using ::podsim::testing::StatusIs;
using ::testing::HasSubstr;

BenchReport ReportOf(int host, std::int64_t row) {
  return BenchMessage(host, row).bench();
}

TEST(BenchMergerTest, ARowIsCompleteWithTheLastHost) {
  BenchMerger merger(BenchTestPlan(4, 2), true);
  for (const int host : {2, 0, 3}) {
    EXPECT_FALSE(merger.Add(ReportOf(host, 0)).event);
  }
  const auto merged = merger.Add(ReportOf(1, 0));
  ASSERT_TRUE(merged.event);
  const BenchRow& row = *merged.event;
  EXPECT_EQ(row.row(), 0);
  EXPECT_EQ(row.bytes(), 64);
  EXPECT_EQ(row.count(), 16);
  EXPECT_EQ(row.datatype(), "float");
  EXPECT_EQ(row.op(), "sum");
  EXPECT_EQ(row.root(), -1);
  EXPECT_EQ(row.ranks(), 4);
  EXPECT_EQ(row.algorithm(), "ring");
  // Host h takes h + 1 seconds and finds h values wrong; host 0 has the spread.
  EXPECT_DOUBLE_EQ(row.out_of_place().seconds(), 2.5);
  EXPECT_EQ(row.out_of_place().wrong(), 6);
  EXPECT_EQ(row.out_of_place().median_seconds(), 0.5);
  EXPECT_EQ(row.peak_bytes(), 4000);
}

TEST(BenchMergerTest, TimesAreMergedAsAsked) {
  const double expected[] = {1, 2.5, 1, 4};
  for (int average = 0; average < 4; ++average) {
    JobPlan plan = BenchTestPlan(4, 2);
    plan.mutable_spec()->mutable_bench()->set_average(average);
    BenchMerger merger(plan, true);
    for (int host = 0; host < 3; ++host) merger.Add(ReportOf(host, 0));
    const auto merged = merger.Add(ReportOf(3, 0));
    ASSERT_TRUE(merged.event);
    EXPECT_DOUBLE_EQ(merged.event->in_place().seconds(), expected[average]);
  }
}

TEST(BenchMergerTest, RowsFollowTheCasesCycleAfterCycle) {
  JobPlan plan = BenchTestPlan(1, 1);
  plan.mutable_spec()->mutable_bench()->set_run_cycles(2);
  plan.mutable_spec()->mutable_bench()->add_datatype(words::DataType::int32);
  BenchMerger merger(plan, true);
  const char* const types[] = {"float", "int32", "float", "int32"};
  for (int row = 0; row < 4; ++row) {
    EXPECT_FALSE(merger.complete(0));
    const auto merged = merger.Add(ReportOf(0, row));
    ASSERT_TRUE(merged.event);
    EXPECT_EQ(merged.event->datatype(), types[row]);
    EXPECT_EQ(merged.event->row(), row);
  }
  EXPECT_TRUE(merger.complete(0));
}

TEST(BenchMergerTest, EndlessCyclesAreNeverComplete) {
  JobPlan plan = BenchTestPlan(1, 1);
  plan.mutable_spec()->mutable_bench()->set_run_cycles(0);
  BenchMerger merger(plan, true);
  EXPECT_FALSE(merger.complete(0));
  for (int row = 0; row < 5; ++row) {
    EXPECT_TRUE(merger.Add(ReportOf(0, row)).event);
    EXPECT_FALSE(merger.complete(0));
  }
}

TEST(BenchMergerTest, RowsOutOfTurnAreOurBug) {
  BenchMerger merger(BenchTestPlan(2, 1), true);
  EXPECT_THAT(merger.Add(ReportOf(1, 1)).status,
              StatusIs(absl::StatusCode::kInternal, HasSubstr("row 1")));
  EXPECT_TRUE(merger.Add(ReportOf(0, 0)).status.ok());
  EXPECT_FALSE(merger.Add(ReportOf(0, 0)).status.ok());
  EXPECT_FALSE(merger.Add(ReportOf(0, 1)).status.ok());  // there is no row 1
}

TEST(BenchMergerTest, UnverifiedStaysUnverified) {
  BenchMerger merger(BenchTestPlan(1, 1), true);
  BenchReport report = ReportOf(0, 0);
  report.mutable_in_place()->set_wrong(-1);
  EXPECT_EQ(merger.Add(report).event->in_place().wrong(), -1);
}

class BarrierTest : public ::testing::Test {
 protected:
  // Two barriers; host 1 enters the second at 21 and host 0 leaves it then, or
  // a moment before.
  static BenchRow Merge(double host0_leaves, bool one_clock) {
    JobPlan plan = BenchTestPlan(2, 2);
    plan.mutable_spec()->mutable_bench()->set_collective(
        words::Collective::barrier);
    BenchMerger merger(plan, one_clock);
    BenchReport reports[2] = {ReportOf(0, 0), ReportOf(1, 0)};
    for (int host = 0; host < 2; ++host) {
      BenchTiming& timing = *reports[host].mutable_in_place();
      timing.set_wrong(0);
      timing.add_entered(10);
      timing.add_left(11);
      timing.add_entered(20 + host);
      timing.add_left(host == 0 ? host0_leaves : 22);
    }
    merger.Add(reports[0]);
    return *merger.Add(reports[1]).event;
  }
};

TEST_F(BarrierTest, NobodyMayLeaveBeforeAllHaveEntered) {
  EXPECT_EQ(Merge(21, true).in_place().wrong(), 0);
  EXPECT_EQ(Merge(20.9, true).in_place().wrong(), 1);
  EXPECT_EQ(Merge(21, true).datatype(), "none");
  EXPECT_EQ(Merge(21, true).bytes(), 0);
}

TEST_F(BarrierTest, ClocksOfSeveralMachinesProveNothing) {
  EXPECT_EQ(Merge(20.9, false).in_place().wrong(), -1);
}

// The whole way through the coordinator.
TEST(BenchMembershipTest, RowsAndTheEndFollowFromReports) {
  testing::PodScript pod(BenchTestPlan(4, 2));
  pod.Run();
  for (int host = 0; host < 4; ++host) {
    pod.Send(host / 2, BenchMessage(host, 0));
  }
  EXPECT_EQ(pod.events(JobEvent::kBench).size(), 1u);
  pod.Send(0, testing::DoneMessage(""));
  pod.Send(1, testing::DoneMessage(""));
  EXPECT_EQ(pod.machine().state(), PodState::kDone);
}

TEST(BenchMembershipTest, DoneBeforeTheLastRowIsOurBug) {
  testing::PodScript pod(BenchTestPlan(2, 2));
  pod.Run();
  pod.Send(0, testing::DoneMessage(""));
  pod.CloseAll();
  EXPECT_THAT(pod.failed().message(), HasSubstr("Done before its last report"));
}

TEST(BenchMembershipTest, ATrainingJobTakesNoBenchReports) {
  testing::PodScript pod(testing::TestPlan(2, 2, 1));
  pod.Run();
  pod.Send(1, BenchMessage(1, 0));
  pod.CloseAll();
  EXPECT_THAT(pod.failed().message(), HasSubstr("out of turn"));
}

}  // namespace
}  // namespace podsim
