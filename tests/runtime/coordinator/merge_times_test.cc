// Who came last in a step, from what each process took, whatever its clock.
#include "runtime/coordinator/merge_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "job/phases.h"
#include "tests/runtime/coordinator/pod_script.h"

namespace podsim {
namespace {

using ::podsim::testing::TestPlan;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A step of a process: what it did until it began its last all-reduce, and how
// long it stood there until that was complete.
struct Did {
  double input = 0;
  double compute = 0;
  double reduce = 0;
  double update = 0;  // these two before the input
  double other = 0;
};

std::map<int, StepReport> Reports(const JobPlan& plan,
                                  const std::vector<Did>& processes) {
  std::map<int, StepReport> reports;
  for (int p = 0; p < plan.spec().processes(); ++p) {
    const Did& did = processes[static_cast<std::size_t>(p)];
    const int end = p + 1 < plan.spec().processes() ? plan.first_host(p + 1)
                                                    : plan.bits().hosts();
    for (int host = plan.first_host(p); host < end; ++host) {
      StepReport& report = reports[host];
      const double until = did.input + did.compute + did.update + did.other;
      report.set_seconds(until + did.reduce);
      report.set_seconds_until_reduce(until);
      report.set_seconds_last_reduce(did.reduce);
      AddSeconds(kInputPhase, did.input, *report.mutable_phases());
      AddSeconds(kComputePhase, did.compute, *report.mutable_phases());
      AddSeconds(kReducePhase, did.reduce, *report.mutable_phases());
      AddSeconds(kUpdatePhase, did.update, *report.mutable_phases());
      AddSeconds(kOtherPhase, did.other, *report.mutable_phases());
    }
  }
  return reports;
}

double SumOfPhases(const StepDone& done) {
  double sum = 0;
  for (const Phase& phase : done.phases()) sum += phase.seconds();
  return sum;
}

TEST(MergeTimesTest, TheStepIsThatOfTheLastAndTheOthersWaitedForIt) {
  const JobPlan plan = TestPlan(4, 4, 1);
  StepDone done;
  // Process 2 reads its input for a second longer; the all-reduce takes 0.5.
  MergeTimes(plan,
             Reports(plan, {{.compute = 2, .reduce = 1.75, .update = 0.25},
                            {.compute = 2.25, .reduce = 1.5, .update = 0.25},
                            {.input = 1,
                             .compute = 2,
                             .reduce = 0.5,
                             .update = 0.25,
                             .other = 0.25},
                            {.compute = 0.5, .reduce = 3.5}}),
             done);
  EXPECT_EQ(done.last_process(), 2);
  EXPECT_EQ(done.seconds(), 4);
  EXPECT_EQ(SecondsIn(done.phases(), kInputPhase), 1);
  EXPECT_EQ(SecondsIn(done.phases(), kComputePhase), 2);
  EXPECT_EQ(SecondsIn(done.phases(), kReducePhase), 0.5);
  EXPECT_EQ(SecondsIn(done.phases(), kUpdatePhase), 0.25);
  EXPECT_EQ(SecondsIn(done.phases(), kOtherPhase), 0.25);
  EXPECT_EQ(SumOfPhases(done), done.seconds());
  EXPECT_THAT(done.process_seconds_waited(), ElementsAre(1.25, 1, 0, 3));
  EXPECT_THAT(ByProcess(done, kInputPhase), ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(ByProcess(done, kComputePhase), ElementsAre(2, 2.25, 2, 0.5));
}

TEST(MergeTimesTest, NobodyWaitsLongerThanItStoodThere) {
  const JobPlan plan = TestPlan(2, 2, 1);
  StepDone done;
  // Process 0 left the all-reduce before a little earlier than process 1.
  MergeTimes(plan,
             Reports(plan, {{.compute = 1, .reduce = 0.25},
                            {.compute = 2, .reduce = 0.5}}),
             done);
  EXPECT_THAT(done.process_seconds_waited(), ElementsAre(0.25, 0));
}

TEST(MergeTimesTest, HostsOfAProcessShareItsTime) {
  const JobPlan plan = TestPlan(6, 2, 1);
  StepDone done;
  MergeTimes(
      plan,
      Reports(plan, {{.compute = 1, .reduce = 2}, {.compute = 2, .reduce = 1}}),
      done);
  EXPECT_EQ(done.last_process(), 1);
  EXPECT_THAT(done.process_seconds_waited(), ElementsAre(1, 0));
}

// Process 0 got the word to begin half a second before process 1, whose step
// is the shorter one: what they share is the end.
TEST(MergeTimesTest, InTheFirstStepWhoStandsInTheAllReduceShortestCameLast) {
  const JobPlan plan = TestPlan(4, 2, 1);
  std::map<int, StepReport> first = Reports(
      plan, {{.compute = 1, .reduce = 2.5}, {.compute = 2, .reduce = 1}});
  for (auto& [host, report] : first) report.clear_seconds_until_reduce();
  StepDone done;
  MergeTimes(plan, first, done);
  EXPECT_EQ(done.last_process(), 1);
  EXPECT_THAT(done.process_seconds_waited(), ElementsAre(1.5, 0));
  EXPECT_THAT(ByProcess(done, kComputePhase), ElementsAre(1, 2));
  EXPECT_EQ(done.seconds(), 3);
  EXPECT_EQ(SumOfPhases(done), done.seconds());
}

TEST(MergeTimesTest, APodOfOneProcessNamesNobody) {
  const JobPlan plan = TestPlan(4, 1, 1);
  StepDone alone;
  MergeTimes(plan, Reports(plan, {{.compute = 3}}), alone);
  EXPECT_THAT(alone.process_seconds_waited(), IsEmpty());
  EXPECT_EQ(alone.seconds(), 3);
}

TEST(MergeTimesTest, ReportsThatSayNothingOfTheirAllReduceNameNobody) {
  const JobPlan plan = TestPlan(4, 2, 1);
  std::map<int, StepReport> reports =
      Reports(plan, {{.compute = 3, .reduce = 1}, {.compute = 1, .reduce = 2}});
  for (auto& [host, report] : reports) {
    report.clear_seconds_until_reduce();
    report.clear_seconds_last_reduce();
  }
  StepDone done;
  MergeTimes(plan, reports, done);
  EXPECT_THAT(done.process_seconds_waited(), IsEmpty());
  EXPECT_THAT(ByProcess(done, kComputePhase), ElementsAre(3, 1));
  EXPECT_EQ(done.seconds(), 4);
  EXPECT_EQ(SecondsIn(done.phases(), kComputePhase), 3);
}

// Of a host of another build; names become keys, labels and tags.
TEST(MergeTimesTest, APhaseThatNobodyKnowsStaysIfItHasAName) {
  const JobPlan plan = TestPlan(1, 1, 1);
  std::map<int, StepReport> reports = Reports(plan, {{.compute = 1}});
  const std::string too_long(33, 'a');
  for (const char* name : {"infeed", "", "Infeed", "a\"b", too_long.c_str()})
    AddSeconds({name, name}, 0.5, *reports[0].mutable_phases());
  StepDone done;
  MergeTimes(plan, reports, done);
  ASSERT_EQ(done.phases_size(), 6);
  EXPECT_EQ(done.phases(5).name(), "infeed");
  EXPECT_EQ(done.phases(5).seconds(), 0.5);
}

TEST(MergeTimesTest, WhatNoClockSaysDoesNoHarm) {
  const JobPlan plan = TestPlan(3, 3, 1);
  std::map<int, StepReport> reports =
      Reports(plan, {{.compute = 1}, {.compute = 2}, {.compute = 1.5}});
  AddSeconds(kInputPhase, std::numeric_limits<double>::quiet_NaN(),
             *reports[0].mutable_phases());
  reports[0].set_seconds_until_reduce(-5);
  AddSeconds(kComputePhase, 1e300, *reports[2].mutable_phases());
  StepDone done;
  MergeTimes(plan, reports, done);
  EXPECT_EQ(ByProcess(done, kInputPhase)[0], 0);
  EXPECT_EQ(ByProcess(done, kComputePhase)[2], 1e9F);
  for (const float waited : done.process_seconds_waited()) {
    EXPECT_GE(waited, 0);
    EXPECT_LE(waited, 1e9F);
  }
}

}  // namespace
}  // namespace podsim
