#include "runtime/trace/traced_moments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace podsim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int64_t kManySteps = 100'000;

JobSpec TracedSpec(const std::string& steps) {
  JobSpec spec;
  spec.set_trace("a.pftrace");
  spec.set_trace_steps(steps);
  return spec;
}

void Form(std::int64_t start, std::int64_t last, TracedMoments& moments) {
  JobEvent event;
  event.mutable_formed()->mutable_start()->set_step(start);
  event.mutable_formed()->mutable_start()->set_last_step(last);
  moments.OnEvent(event);
}

void MakeStep(std::int64_t step, TracedMoments& moments) {
  JobEvent event;
  event.mutable_step()->set_step(step);
  moments.OnEvent(event);
}

void Save(std::int64_t step, TracedMoments& moments) {
  JobEvent event;
  event.mutable_saved()->set_step(step);
  moments.OnEvent(event);
}

std::vector<std::int64_t> Steps(const TracedMoments& moments, bool of_steps) {
  std::vector<std::int64_t> steps;
  for (const CoordinatorMoment& moment : moments.All())
    if (moment.is_step == of_steps) steps.push_back(moment.step);
  return steps;
}

TEST(TracedMoments, OfALongRunOnlyTracedStepsAreKept) {
  TracedMoments moments(TracedSpec("20:22"));
  Form(0, kManySteps, moments);
  for (std::int64_t step = 1; step <= kManySteps; ++step)
    MakeStep(step, moments);
  EXPECT_THAT(Steps(moments, /*of_steps=*/true), ElementsAre(20, 21, 22));
}

// The newest before the traced steps, which they may reach into; after these
// the first.
TEST(TracedMoments, OfEverythingElseSomeAreKept) {
  TracedMoments late(TracedSpec("100000"));
  Form(0, kManySteps, late);
  for (std::int64_t step = 1; step <= kManySteps; ++step) Save(step, late);
  MakeStep(kManySteps, late);
  const std::vector<std::int64_t> saved = Steps(late, /*of_steps=*/false);
  ASSERT_EQ(saved.size(), TracedMoments::kMostOthers);
  EXPECT_EQ(saved.back(), kManySteps);

  TracedMoments early(TracedSpec("1"));
  Form(0, kManySteps, early);
  MakeStep(1, early);
  for (std::int64_t step = 1; step <= kManySteps; ++step) Save(step, early);
  ASSERT_EQ(Steps(early, false).size(), TracedMoments::kMostOthers);
  EXPECT_EQ(Steps(early, false).front(), 1);
}

// Without --trace_steps they are the second to the fourth of each generation.
TEST(TracedMoments, AGenerationHasItsOwnSteps) {
  JobSpec spec;
  spec.set_profile_dir("a");
  TracedMoments moments(spec);
  Form(0, 50, moments);
  for (std::int64_t step = 1; step <= 30; ++step) MakeStep(step, moments);
  Form(20, 50, moments);
  for (std::int64_t step = 21; step <= 50; ++step) MakeStep(step, moments);
  EXPECT_THAT(Steps(moments, true), ElementsAre(2, 3, 4, 22, 23, 24));
}

TEST(TracedMoments, AJobThatIsNotTracedHasNone) {
  TracedMoments moments{JobSpec()};
  Form(0, 5, moments);
  for (std::int64_t step = 1; step <= 5; ++step) MakeStep(step, moments);
  Save(5, moments);
  EXPECT_THAT(moments.All(), IsEmpty());
}

}  // namespace
}  // namespace podsim
