#include "job/traced_steps.h"

#include <string>

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::testing::HasSubstr;

JobSpec Traced(const std::string& steps = "") {
  JobSpec spec;
  spec.set_trace("a.pftrace");
  if (!steps.empty()) spec.set_trace_steps(steps);
  return spec;
}

TEST(ParseStepRange, AFirstAndALast) {
  const auto range = ParseStepRange("20:25");
  ASSERT_TRUE(range.ok());
  EXPECT_EQ(*range, (StepRange{20, 25}));
  EXPECT_EQ(range->size(), 6);
  const auto one = ParseStepRange("7");
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(*one, (StepRange{7, 7}));
}

TEST(ParseStepRange, RefusesWhatIsNoRange) {
  for (const char* text : {"", ":", "a:b", "1:2:3", "0:4", "-1:4", "4:", ":4",
                           "1-4", "99999999999999999999:1"})
    EXPECT_EQ(ParseStepRange(text).status().code(),
              absl::StatusCode::kInvalidArgument)
        << text;
  EXPECT_THAT(ParseStepRange("5:4").status().message(),
              HasSubstr("the last step is before the first"));
  EXPECT_TRUE(ParseStepRange("1:1000").ok());
  EXPECT_THAT(ParseStepRange("1:1001").status().message(),
              HasSubstr("at most 1000 steps"));
  EXPECT_FALSE(ParseStepRange("1:9223372036854775807").ok());
}

TEST(CheckTraceSettings, StepsNeedAFileAndTraining) {
  EXPECT_TRUE(CheckTraceSettings(JobSpec()).ok());
  EXPECT_TRUE(CheckTraceSettings(Traced("3:4")).ok());
  JobSpec spec;
  spec.set_trace_steps("3:4");
  EXPECT_THAT(CheckTraceSettings(spec).message(), HasSubstr("--trace=FILE"));
  spec.set_profile_dir("profiles");
  EXPECT_TRUE(CheckTraceSettings(spec).ok());
  EXPECT_EQ(TracedSteps(spec, 0, 100), (StepRange{3, 4}));
  spec = Traced();
  spec.set_mode(words::Mode::eval);
  EXPECT_THAT(CheckTraceSettings(spec).message(), HasSubstr("makes none"));
  EXPECT_FALSE(CheckTraceSettings(Traced("x")).ok());
}

TEST(TracedSteps, TheSecondToTheFourthUnlessSaid) {
  EXPECT_TRUE(TracedSteps(JobSpec(), 0, 100).empty());
  EXPECT_EQ(TracedSteps(Traced(), 0, 100), (StepRange{2, 4}));
  EXPECT_EQ(TracedSteps(Traced(), 50, 100), (StepRange{52, 54}));
  EXPECT_EQ(TracedSteps(Traced(), 0, 3), (StepRange{2, 3}));
  EXPECT_EQ(TracedSteps(Traced(), 0, 1), (StepRange{1, 1}));
  EXPECT_EQ(TracedSteps(Traced("20:25"), 0, 100), (StepRange{20, 25}));
}

// A generation of the pod that begins behind some of them, or all.
TEST(TracedSteps, AreThoseThatTheRunMakes) {
  EXPECT_EQ(TracedSteps(Traced("20:25"), 22, 100), (StepRange{23, 25}));
  EXPECT_EQ(TracedSteps(Traced("20:25"), 0, 21), (StepRange{20, 21}));
  EXPECT_TRUE(TracedSteps(Traced("20:25"), 30, 100).empty());
  EXPECT_TRUE(TracedSteps(Traced(), 100, 100).empty());
}

TEST(CheckTracedSteps, RefusesStepsOutsideTheRun) {
  EXPECT_TRUE(CheckTracedSteps(JobSpec(), 0, 0).ok());
  EXPECT_TRUE(CheckTracedSteps(Traced(), 0, 1).ok());
  EXPECT_TRUE(CheckTracedSteps(Traced("1:100"), 0, 100).ok());
  EXPECT_THAT(CheckTracedSteps(Traced("1:101"), 0, 100).message(),
              HasSubstr("the run makes steps 1 to 100"));
  EXPECT_THAT(CheckTracedSteps(Traced("20:25"), 20, 100).message(),
              HasSubstr("the run makes steps 21 to 100"));
  EXPECT_THAT(CheckTracedSteps(Traced(), 100, 100).message(),
              HasSubstr("no step to trace"));
}

}  // namespace
}  // namespace podsim
