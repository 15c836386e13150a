#include "runtime/job/restored_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "runtime/job/planner.h"
#include "tests/runtime/job/job_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::PlanOf;
using ::podsim::testing::StatusIs;
using ::testing::HasSubstr;

constexpr auto kNotRestored = absl::StatusCode::kFailedPrecondition;

TEST(RestoreProgramTest, IsTheOneThatThePlanHad) {
  ASSERT_OK_AND_ASSIGN(const JobPlan whole, PlanOf("hidden: [16]"));
  JobPlan plan = whole;
  plan.clear_program();
  ASSERT_THAT(RestoreProgram(plan), IsOk());
  EXPECT_EQ(plan.program(), whole.program());
  EXPECT_EQ(plan.bits().program_hash(), whole.bits().program_hash());
}

TEST(RestoreProgramTest, AnotherProgramIsRefused) {
  ASSERT_OK_AND_ASSIGN(JobPlan plan, PlanOf("hidden: [16]"));
  plan.clear_program();
  plan.mutable_bits()->set_program_hash("of another version");
  EXPECT_THAT(RestoreProgram(plan),
              StatusIs(kNotRestored, HasSubstr("this version of podsim")));
  EXPECT_TRUE(plan.program().empty());
}

TEST(RestoreProgramTest, AModelOfAFileIsNotInThePlan) {
  ASSERT_OK_AND_ASSIGN(JobPlan plan, PlanOf("hidden: [16]"));
  plan.clear_program();
  plan.mutable_spec()->set_model_file("net.model");
  EXPECT_THAT(RestoreProgram(plan),
              StatusIs(kNotRestored, HasSubstr("net.model")));
}

}  // namespace
}  // namespace podsim
