// What a link fault of the job means for the emulated pod.
#include "runtime/job/plan_slow_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "job/plan_warning.h"
#include "job/slow_link.h"
#include "tests/runtime/job/job_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::PlanOf;
using ::testing::AllOf;
using ::testing::HasSubstr;

JobPlan PlanWith(const std::string& fault,
                 const std::string& job = "topology: 'v3-32'") {
  const auto plan = PlanOf(absl::StrCat(job, " ici_fault: 'link:", fault, "'"));
  PODSIM_CHECK(plan.ok());
  return *plan;
}

// Hosts of v3-32 have 2x2 of its 4x4 chips each.
TEST(PlanSlowLinkTest, BetweenHostsItSlowsTheRun) {
  const JobPlan plan = PlanWith("(1,0)-(2,0):0.25");
  EXPECT_TRUE(SlowsRun(plan));
  EXPECT_EQ(plan.slow_link().host(), 0);
  EXPECT_EQ(plan.slow_link().other(), 1);
  EXPECT_EQ(plan.slow_link().rate(), 0.25);
  EXPECT_EQ(SlowLinkText(plan),
            "link (1,0)-(2,0) at 0.25 of its rate: a MB between hosts 0 and 1 "
            "takes 3 ms longer, wall");
  EXPECT_EQ(WarningsOfRun(plan).size(), plan.warnings().size());
  const JobPlan down = PlanWith("(3,2)-(3,1):0.5");
  EXPECT_EQ(down.slow_link().host(), 3);
  EXPECT_EQ(down.slow_link().other(), 1);
}

TEST(PlanSlowLinkTest, DecidesNoBits) {
  EXPECT_EQ(PlanWith("(1,0)-(2,0):0.25").hash(),
            PlanOf("topology: 'v3-32'")->hash());
}

TEST(PlanSlowLinkTest, WithinAHostTheForecastAlone) {
  const JobPlan plan = PlanWith("(0,0)-(1,0):0.25");
  EXPECT_FALSE(SlowsRun(plan));
  EXPECT_EQ(SlowLinkText(plan),
            "link (0,0)-(1,0) at 0.25 of its rate slows the forecast alone: "
            "both chips are of host 0, and the run has links between hosts "
            "alone");
  EXPECT_EQ(BriefWarning(WarningsOfRun(plan).back()),
            "link (0,0)-(1,0) at 0.25 of its rate slows the forecast alone");
  EXPECT_EQ(plan.warnings().size() + 1, WarningsOfRun(plan).size());
}

TEST(PlanSlowLinkTest, ACutLinkIsOfTheForecastAlone) {
  const JobPlan plan = PlanWith("(1,0)-(2,0):0");
  EXPECT_FALSE(SlowsRun(plan));
  EXPECT_EQ(SlowLinkText(plan),
            "link (1,0)-(2,0) cut is routed around in the forecast alone: in "
            "the run, hosts 0 and 1 exchange frames as ever");
}

// The ring through 2x4 hosts goes up one column and down the other.
TEST(PlanSlowLinkTest, WhereNoFramesPassTheForecastAlone) {
  const JobPlan plan =
      PlanWith("(1,2)-(2,2):0.25", "topology: 'v3-64' algo: ring");
  EXPECT_EQ(plan.slow_link().unseen(),
            "no all-reduce of the run has frames between hosts 2 and 3");
}

TEST(PlanSlowLinkTest, WhatWouldLookLikeAStallIsOfTheForecastAlone) {
  EXPECT_THAT(PlanWith("(1,0)-(2,0):1e-8").slow_link().unseen(),
              AllOf(HasSubstr("between hosts 0 and 1 would take "),
                    HasSubstr("more than half of the 10 s of --stall_timeout"),
                    HasSubstr("--chunk_bytes")));
}

TEST(PlanSlowLinkTest, NoneWithoutTheLinkOrWithItsWholeRate) {
  EXPECT_FALSE(
      PlanWith("(2,1)-(3,1):0.25", "topology: 'v3-8'").has_slow_link());
  EXPECT_FALSE(PlanWith("(1,0)-(2,0):1").has_slow_link());
  EXPECT_FALSE(PlanOf("topology: 'v3-32'")->has_slow_link());
}

}  // namespace
}  // namespace podsim
