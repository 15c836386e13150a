// Whose gradient is computed again, when and by whom, over all ways of packing
// hosts into processes.
#include "job/audit_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace podsim {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Lt;
using ::testing::SizeIs;

// Hosts spread over processes as the planner does it.
JobPlan Pod(int hosts, int processes, int every = 1) {
  JobPlan plan;
  plan.mutable_bits()->set_hosts(hosts);
  plan.mutable_spec()->set_processes(processes);
  for (int process = 0; process < processes; ++process)
    plan.add_first_host(process * hosts / processes);
  plan.mutable_spec()->set_audit_every(every);
  return plan;
}

int ProcessOf(const JobPlan& plan, int host) {
  int process = 0;
  while (process + 1 < plan.spec().processes() &&
         plan.first_host(process + 1) <= host) {
    ++process;
  }
  return process;
}

TEST(AuditedHostTest, EveryStepIsTheNextHostsTurn) {
  const JobPlan plan = Pod(3, 3);
  for (std::int64_t step = 1; step <= 10; ++step)
    EXPECT_EQ(AuditedHost(plan, step), (step - 1) % 3) << step;
}

TEST(AuditedHostTest, StepsBetweenAuditsHaveNoneAndSkipNobody) {
  const JobPlan plan = Pod(4, 2, 5);
  int turn = 0;
  for (std::int64_t step = 1; step <= 60; ++step) {
    if (step % 5 != 0) {
      EXPECT_EQ(AuditedHost(plan, step), std::nullopt) << step;
      continue;
    }
    EXPECT_EQ(AuditedHost(plan, step), turn++ % 4) << step;
  }
  EXPECT_EQ(turn, 12);
}

TEST(AuditedHostTest, NobodyWhereAuditsAreOff) {
  const JobPlan plan = Pod(4, 4, 0);
  for (std::int64_t step = 0; step <= 8; ++step)
    EXPECT_EQ(AuditedHost(plan, step), std::nullopt) << step;
}

TEST(AuditedHostTest, NobodyBeforeTheFirstStep) {
  EXPECT_EQ(AuditedHost(Pod(4, 4), 0), std::nullopt);
}

TEST(AuditedHostTest, AStepBeyondAnIntStillHasOne) {
  const std::int64_t step = (std::int64_t{1} << 40) + 1;
  EXPECT_EQ(AuditedHost(Pod(16, 4), step), 0);
}

struct Packing {
  int hosts;
  int processes;
};

std::vector<Packing> Packings() {
  std::vector<Packing> packings;
  for (const int hosts : {1, 2, 3, 4, 5, 7, 16})
    for (int processes = 1; processes <= hosts; ++processes)
      packings.push_back({hosts, processes});
  return packings;
}

class PackingTest : public ::testing::TestWithParam<Packing> {};

TEST_P(PackingTest, AuditorsAreOthersOfOtherProcessesWhereThereAreSome) {
  const auto [hosts, processes] = GetParam();
  const JobPlan plan = Pod(hosts, processes);
  for (int host = 0; host < hosts; ++host) {
    const std::vector<int> auditors = AuditorsOf(plan, host);
    const int others = processes > 1 ? processes - 1 : hosts - 1;
    EXPECT_THAT(auditors, SizeIs(std::min(2, others))) << "of host " << host;
    EXPECT_THAT(auditors, Each(Lt(hosts)));
    std::set<int> distinct(auditors.begin(), auditors.end());
    EXPECT_EQ(distinct.size(), auditors.size());
    EXPECT_EQ(distinct.count(host), 0) << "nobody audits itself";
    if (processes == 1) continue;
    std::set<int> used = {ProcessOf(plan, host)};
    for (const int auditor : auditors) {
      EXPECT_TRUE(used.insert(ProcessOf(plan, auditor)).second)
          << "host " << auditor << " audits host " << host;
      EXPECT_EQ(plan.first_host(ProcessOf(plan, auditor)), auditor);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, PackingTest, ::testing::ValuesIn(Packings()),
                         [](const auto& info) {
                           return std::to_string(info.param.hosts) + "HostsIn" +
                                  std::to_string(info.param.processes);
                         });

TEST(AuditorsTest, FollowTheAuditedOneRoundThePod) {
  EXPECT_THAT(AuditorsOf(Pod(4, 1), 3), ElementsAre(0, 1));
  EXPECT_THAT(AuditorsOf(Pod(4, 4), 3), ElementsAre(0, 1));
  EXPECT_THAT(AuditorsOf(Pod(16, 8), 5), ElementsAre(6, 8));
  EXPECT_THAT(AuditorsOf(Pod(16, 8), 15), ElementsAre(0, 2));
  EXPECT_THAT(AuditorsOf(Pod(16, 2), 3), ElementsAre(8));
  EXPECT_THAT(AuditorsOf(Pod(1, 1), 0), IsEmpty());
}

}  // namespace
}  // namespace podsim
