// Which process plays which hosts.
#include "runtime/job/plan_placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/job/planner.h"
#include "tests/runtime/job/job_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::kInvalid;
using ::podsim::testing::PlanOf;
using ::podsim::testing::Spec;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(PlacementTest, OneProcessPerHostUpToEight) {
  for (const auto& [topology, processes] :
       {std::pair("v3-8", 1), std::pair("v3-32", 4), std::pair("v3-64", 8),
        std::pair("v3-128", 8)}) {
    ASSERT_OK_AND_ASSIGN(const JobPlan plan,
                         PlanOf(absl::StrCat("topology: '", topology, "'")));
    EXPECT_EQ(plan.spec().processes(), processes);
    EXPECT_EQ(plan.first_host_size(), processes);
  }
}

TEST(PlacementTest, HostsAreSpreadEvenly) {
  for (int processes = 1; processes <= 16; ++processes) {
    ASSERT_OK_AND_ASSIGN(
        const JobPlan plan,
        PlanOf(absl::StrCat("topology: 'v3-128' processes: ", processes)));
    ASSERT_EQ(plan.first_host_size(), processes);
    EXPECT_EQ(plan.first_host(0), 0);
    int most = 0;
    for (int p = 0; p < processes; ++p) {
      const int end = p + 1 < processes ? plan.first_host(p + 1) : 16;
      const int hosts = end - plan.first_host(p);
      most = std::max(most, hosts);
      EXPECT_TRUE(hosts == 16 / processes ||
                  hosts == (16 + processes - 1) / processes)
          << hosts << " hosts of " << processes << " processes";
    }
    EXPECT_EQ(MostHostsOfProcess(plan.spec(), 16), most);
  }
  EXPECT_THAT(
      PlanOf("processes: 5"),
      StatusIs(kInvalid, AllOf(HasSubstr("processes is 5"),
                               HasSubstr("4 hosts"), HasSubstr("1 to 4"))));
}

TEST(PlacementTest, MostHostsBeforeThereIsAPlan) {
  EXPECT_EQ(MostHostsOfProcess(Spec(""), 4), 1);
  EXPECT_EQ(MostHostsOfProcess(Spec(""), 64), 8);
  EXPECT_EQ(MostHostsOfProcess(Spec("processes: 3"), 4), 2);
  // What the plan refuses.
  EXPECT_EQ(MostHostsOfProcess(Spec("processes: 5"), 4), 1);
}

}  // namespace
}  // namespace podsim
