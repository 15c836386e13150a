// What a forecast is compared with, beside forecasts of the same job.
#include "runtime/forecast/yardsticks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "runtime/job/ici_fault.h"
#include "runtime/job/spec_check.h"
#include "tests/runtime/job/job_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::PlanOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Compared {
  JobForecast job;
  Yardsticks yardsticks;
};

Compared ComparedOf(const std::string& text) {
  const auto plan = PlanOf(text);
  EXPECT_THAT(plan, testing::IsOk());
  const Hardware hardware = HardwareOf(plan->spec());
  const Slice slice = *WithIciFault(
      *SliceNamed(plan->bits().slice(), plan->spec()), plan->spec());
  const Generation& generation = *FindGeneration(hardware, slice.generation);
  const auto job = ForecastJob(*plan, slice, generation);
  EXPECT_THAT(job, testing::IsOk());
  return {*job, YardsticksOf(*plan, slice, generation,
                             FootOf(*plan, hardware, slice.generation))};
}

TEST(YardsticksTest, OfASoundSliceAreItsFootAndTheBoundOfItsLinks) {
  const Compared sound = ComparedOf("topology: 'v3-32'");
  ASSERT_TRUE(sound.yardsticks.foot.has_value());
  EXPECT_EQ(sound.yardsticks.foot->slice, "v3-8");
  EXPECT_THAT(sound.yardsticks.link_faults, IsEmpty());
  EXPECT_FALSE(sound.yardsticks.sound_step.has_value());
  EXPECT_GT(sound.yardsticks.reduce_bound, SimTime());
  EXPECT_LE(sound.yardsticks.reduce_bound, sound.job.step.communication);
}

TEST(YardsticksTest, HalfTheBytesHaveALowerBound) {
  const SimTime whole =
      ComparedOf("topology: 'v3-128'").yardsticks.reduce_bound;
  const SimTime half = ComparedOf("topology: 'v3-128' ici_dtype: bfloat16")
                           .yardsticks.reduce_bound;
  EXPECT_LE(half, whole);
}

TEST(YardsticksTest, WithASlowLinkTheyHaveTheStepWithoutIt) {
  const Compared sound = ComparedOf("topology: 'v3-32'");
  const Compared slow =
      ComparedOf("topology: 'v3-32' ici_fault: 'link:(0,0)-(1,0):0.25'");
  EXPECT_THAT(slow.yardsticks.link_faults,
              ElementsAre("link (0,0)-(1,0) at 0.25 of its rate"));
  EXPECT_EQ(slow.yardsticks.sound_step, sound.job.step.total);
  EXPECT_GT(slow.job.step.total, *slow.yardsticks.sound_step);
}

TEST(YardsticksTest, AFootThatIsNotThereIsNone) {
  const auto plan = PlanOf("topology: 'v3-8'");
  ASSERT_THAT(plan, testing::IsOk());
  const Hardware hardware = HardwareOf(plan->spec());
  const Slice slice = *SliceNamed("v3-8", plan->spec());
  EXPECT_FALSE(YardsticksOf(*plan, slice, *FindGeneration(hardware, "v3"),
                            absl::NotFoundError("no slice trains"))
                   .foot.has_value());
}

}  // namespace
}  // namespace podsim
