// The maker of plans for an ISA level: its own draft's, and any other.
#include "runtime/coordinator/plan_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runtime/job/job_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::Digits;
using ::podsim::testing::Inputs;
using ::podsim::testing::Spec;

TEST(PlanMakerTest, TheDraftIsThePlanForItsOwnLevel) {
  const JobSpec spec = Spec("topology: 'v3-8'");
  const PlanInputs inputs = Inputs(Digits());
  ASSERT_OK_AND_ASSIGN(JobPlan draft, PlanJob(spec, inputs));
  draft.set_hash("this very one");
  const auto make_plan = PlanMakerFor(spec, inputs, draft);
  for (const int time : {1, 2}) {
    ASSERT_OK_AND_ASSIGN(const JobPlan plan, make_plan(inputs.isa));
    EXPECT_EQ(plan.SerializeAsString(), draft.SerializeAsString()) << time;
  }
}

TEST(PlanMakerTest, AnotherLevelHasAPlanOfItsOwn) {
  const JobSpec spec = Spec("topology: 'v3-8'");
  PlanInputs inputs = Inputs(Digits());
  ASSERT_OK_AND_ASSIGN(const JobPlan draft, PlanJob(spec, inputs));
  ASSERT_OK_AND_ASSIGN(const JobPlan plan,
                       PlanMakerFor(spec, inputs, draft)("v2"));
  EXPECT_EQ(plan.bits().isa(), "v2");
  inputs.isa = "v2";
  ASSERT_OK_AND_ASSIGN(const JobPlan expected, PlanJob(spec, inputs));
  EXPECT_EQ(plan.hash(), expected.hash());
  EXPECT_NE(plan.hash(), draft.hash());
}

}  // namespace
}  // namespace podsim
