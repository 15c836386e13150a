// A job's time, moment by moment, from the stories that its events tell.
#include "runtime/report/goodput.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <string>

#include "job/phases.h"

namespace podsim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double kBegin = 5000;  // seconds since 1970
constexpr double kNear = 1e-9;

// A story in seconds from the command.
class Story {
 public:
  Story& At(double seconds) {
    now_ = kBegin + seconds;
    return *this;
  }
  Story& Formed(std::int64_t start = 0, const std::string& checkpoint = "") {
    JobEvent event;
    event.mutable_formed()->mutable_start()->set_step(start);
    event.mutable_formed()->mutable_start()->set_checkpoint(checkpoint);
    return Tell(event);
  }
  Story& Started() {
    JobEvent event;
    event.mutable_started();
    return Tell(event);
  }
  Story& Step(std::int64_t number, double input = 0) {
    JobEvent event;
    event.mutable_step()->set_step(number);
    AddSeconds(kInputPhase, input, *event.mutable_step()->mutable_phases());
    return Tell(event);
  }
  // Of two processes, the second waited for the first.
  Story& LateStep(std::int64_t number, double waited, double last_input) {
    JobEvent event;
    StepDone& step = *event.mutable_step();
    step.set_step(number);
    AddSeconds(kInputPhase, last_input, *step.mutable_phases());
    for (const double input : {last_input, 0.0}) {
      AddOfProcess(kInputPhase, static_cast<float>(input), step);
      AddOfProcess(kComputePhase, 0, step);
    }
    step.add_process_seconds_waited(0);
    step.add_process_seconds_waited(static_cast<float>(waited));
    return Tell(event);
  }
  Story& Eval() {
    JobEvent event;
    event.mutable_eval();
    return Tell(event);
  }
  Story& Saved(std::int64_t step, double paused) {
    JobEvent event;
    event.mutable_saved()->set_step(step);
    event.mutable_saved()->set_seconds_paused(paused);
    return Tell(event);
  }
  Story& Failed() {
    JobEvent event;
    event.mutable_failed();
    return Tell(event);
  }
  Story& Restarting() {
    JobEvent event;
    event.mutable_restarting();
    return Tell(event);
  }
  Story& Done() {
    JobEvent event;
    event.mutable_done();
    return Tell(event);
  }
  Story& Tell(JobEvent event) {
    event.set_wall_time(now_);
    meter_.OnEvent(event);
    return *this;
  }
  Goodput Measured() const { return meter_.Measured(); }

 private:
  double now_ = kBegin;
  GoodputMeter meter_{absl::UnixEpoch() + absl::Seconds(kBegin)};
};

double Sum(const Goodput& goodput) {
  return std::accumulate(goodput.lost.begin(), goodput.lost.end(),
                         goodput.productive);
}

// What a test does not name must be 0.
void ExpectLost(const Goodput& goodput,
                const std::map<LostTo, double>& expected) {
  for (int i = 0; i < kLossCategories; ++i) {
    const auto category = static_cast<LostTo>(i);
    const auto it = expected.find(category);
    EXPECT_NEAR(goodput[category], it == expected.end() ? 0 : it->second, kNear)
        << NameOf(category);
  }
  EXPECT_NEAR(Sum(goodput), goodput.wall, kNear);
}

TEST(GoodputTest, AnUndisturbedJob) {
  Story story;
  story.At(2).Formed().At(5).Started();
  story.At(6.5).Step(1).At(7).Step(2, 0.125).At(7.5).Step(3).At(8).Step(4);
  story.At(10).Eval().At(11).Done();
  const Goodput goodput = story.Measured();
  EXPECT_NEAR(goodput.wall, 11, kNear);
  // Four steps of 0.5 s, but for the input of one.
  EXPECT_NEAR(goodput.productive, 1.875, kNear);
  EXPECT_NEAR(goodput.fraction(), 1.875 / 11, kNear);
  EXPECT_EQ(goodput.steps_lost, 0);
  ExpectLost(goodput, {{LostTo::kTpuInitialization, 2},
                       {LostTo::kTrainingPrep, 3},
                       {LostTo::kProgramStartup, 1},
                       {LostTo::kDataLoadingSync, 0.125},
                       {LostTo::kOther, 3}});
}

TEST(GoodputTest, WaitingForAStragglerIsNotGoodputAndItsInputIsInput) {
  Story story;
  story.Formed().Started().At(1).Step(1);
  // A second late, a quarter of it because of its input.
  story.At(3).LateStep(2, 1, 0.25);
  // All of it, and no moment counts twice.
  story.At(5).LateStep(3, 1, 1.5);
  // The longest that a step can have waited is the step.
  story.At(6).LateStep(4, 7, 0).Done();
  const Goodput goodput = story.Measured();
  // The first step counts as the middle one of the others, 0.5 s.
  EXPECT_NEAR(goodput.productive, 0.5 + 1 + 0.5, kNear);
  ExpectLost(goodput, {{LostTo::kProgramStartup, 0.5},
                       {LostTo::kDataLoadingSync, 0.25 + 1.5},
                       {LostTo::kStraggler, 0.75 + 1}});
}

TEST(GoodputTest, ASinglesStepsStartIsNotKnown) {
  Story story;
  story.At(1).Formed().At(2).Started().At(5).Step(1).At(5).Done();
  EXPECT_NEAR(story.Measured().productive, 3, kNear);
}

TEST(GoodputTest, PausesOfCheckpoints) {
  Story story;
  story.Formed().Started();
  story.At(1).Step(1).At(2).Step(2);
  // After step 2, complete beside steps 3 and 4.
  story.At(3.25).Step(3).At(4.25).Step(4).At(4.5).Saved(2, 0.25);
  // After step 4, complete before the next step is.
  story.At(5).Saved(4, 0.5).At(5.75).Step(5);
  // After step 5, the last: training waits for it.
  story.At(6).Eval().At(8).Saved(5, 0.125).At(8.5).Done();
  const Goodput goodput = story.Measured();
  EXPECT_NEAR(goodput.productive, 5.75 - 0.25 - 0.5, kNear);
  ExpectLost(goodput, {{LostTo::kCheckpointSave, 0.25 + 0.5 + 2},
                       {LostTo::kOther, 0.75}});
}

TEST(GoodputTest, ACheckpointOfAnEarlierStepIsNotWaitedFor) {
  Story story;
  story.Formed().Started().At(1).Step(1).At(2).Step(2).At(3).Step(3);
  story.At(4).Saved(1, 0).At(5).Done();
  ExpectLost(story.Measured(), {{LostTo::kOther, 2}});
}

TEST(GoodputTest, ARestartFromACheckpoint) {
  Story story;
  story.At(1).Formed().At(2).Started();
  for (int step = 1; step <= 6; ++step) {
    story.At(2 + step).Step(step, 0.25);
    if (step == 4) story.Saved(4, 0);
  }
  // Lost in step 7; noticed, started again, step 5 is the next.
  story.At(10).Failed().At(10.5).Restarting();
  story.At(12).Formed(4, "/model/4").At(15).Started();
  story.At(17).Step(5).At(18).Step(6).At(19).Step(7).At(19).Done();
  const Goodput goodput = story.Measured();
  EXPECT_EQ(goodput.steps_lost, 2);
  EXPECT_NEAR(goodput.productive, 4 * 0.75 + 3, kNear);
  ExpectLost(goodput, {{LostTo::kTpuInitialization, 1},
                       {LostTo::kTrainingPrep, 1},
                       {LostTo::kDataLoadingSync, 4 * 0.25},
                       {LostTo::kWastedProgress, 2},
                       {LostTo::kInfrastructureRecovery, 4},
                       {LostTo::kCheckpointRestore, 3},
                       {LostTo::kProgramStartup, 1}});
}

TEST(GoodputTest, ARestartFromNothingWastesEverything) {
  Story story;
  story.Formed().Started().At(1).Step(1).At(2).Step(2);
  // A coordinator that was killed says nothing.
  story.At(3).Restarting().At(4).Formed().At(5).Started();
  story.At(6).Step(1).At(7).Step(2).Done();
  const Goodput goodput = story.Measured();
  EXPECT_EQ(goodput.steps_lost, 2);
  EXPECT_NEAR(goodput.productive, 2, kNear);
  ExpectLost(goodput, {{LostTo::kWastedProgress, 2},
                       {LostTo::kInfrastructureRecovery, 3}});
}

TEST(GoodputTest, APauseJustBeforeAFailure) {
  Story story;
  story.Formed().Started().At(1).Step(1).At(1.5).Saved(1, 0.25);
  story.At(3).Failed();
  ExpectLost(story.Measured(), {{LostTo::kCheckpointSave, 0.25},
                                {LostTo::kInfrastructureRecovery, 1.75}});
}

TEST(GoodputTest, AResumedJobRestores) {
  Story story;
  story.At(1).Formed(40, "/model/40").At(3).Started().At(4).Step(41).Done();
  ExpectLost(story.Measured(), {{LostTo::kTpuInitialization, 1},
                                {LostTo::kCheckpointRestore, 2}});
}

TEST(GoodputTest, AJobThatNeverFormed) {
  Story story;
  story.At(30).Failed();
  ExpectLost(story.Measured(), {{LostTo::kInfrastructureRecovery, 30}});
  EXPECT_EQ(Story().Measured().fraction(), 0);
}

TEST(GoodputTest, ClocksThatDisagreeALittle) {
  Story story;
  story.At(1).Formed().At(2).Started().At(3).Step(1);
  story.At(2.75).Restarting().At(2.875).Formed().At(4).Started();
  EXPECT_NEAR(story.Measured().wall, 4, kNear);
  EXPECT_NEAR(Sum(story.Measured()), 4, kNear);
}

// Whatever comes, every moment counts once and nothing is less than nothing.
TEST(GoodputTest, AddsUpForAnyStreamOfEvents) {
  constexpr std::uint32_t kSeed = 11;
  SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  const auto seconds = [&] {
    switch (random() % 12) {
      case 0:
        return -1.0;
      case 1:
        return std::numeric_limits<double>::quiet_NaN();
      case 2:
        return 1e9;
      default:
        return static_cast<double>(random() % 1000) / 500;
    }
  };
  for (int round = 0; round < 2000; ++round) {
    Story story;
    double now = 0;
    for (int i = 0; i < 60; ++i) {
      now += static_cast<double>(random() % 1000) / 250 - 0.5;
      story.At(now);
      const auto step = static_cast<std::int64_t>(random() % 20);
      switch (random() % 12) {
        case 0:
          story.Formed(step, random() % 2 == 0 ? "x" : "");
          break;
        case 1:
          story.Started();
          break;
        case 2:
          story.Eval();
          break;
        case 3:
        case 4:
          story.Saved(step, seconds());
          break;
        case 5:
          story.Failed();
          break;
        case 6:
          story.Restarting();
          break;
        case 7:
          if (random() % 4 == 0) story.Done();
          break;
        case 8:
          story.LateStep(step, seconds(), seconds());
          break;
        default:
          story.Step(step, seconds());
      }
      const Goodput goodput = story.Measured();
      ASSERT_NEAR(Sum(goodput), goodput.wall, kNear) << "round " << round;
      ASSERT_GE(goodput.productive, -kNear);
      for (int k = 0; k < kLossCategories; ++k) {
        ASSERT_GE(goodput[static_cast<LostTo>(k)], -kNear) << "round " << round;
      }
    }
  }
}

TEST(GoodputTextTest, NamesWhatIsNotZeroTheMostFirst) {
  Story story;
  story.At(0.25).Formed().At(1.25).Started().At(3.25).Step(1);
  story.At(3.2503).Eval().At(4).Step(2).Done();
  const Goodput goodput = story.Measured();
  EXPECT_EQ(FormatGoodput(goodput),
            "37.5% of 4.000 s wall in productive steps");
  EXPECT_THAT(FormatLostTimes(goodput),
              ElementsAre("PROGRAM_STARTUP 1.250 s", "TRAINING_PREP 1.000 s",
                          "TPU_INITIALIZATION 250.0 ms"));
  EXPECT_THAT(FormatLostTimes(Goodput()), IsEmpty());
}

TEST(GoodputTextTest, EveryCategoryHasItsName) {
  EXPECT_STREQ(NameOf(LostTo::kWastedProgress),
               "WASTED_PROGRESS_FROM_DISRUPTION");
  for (int i = 0; i < kLossCategories; ++i) {
    EXPECT_STRNE(NameOf(static_cast<LostTo>(i)), "");
  }
}

}  // namespace
}  // namespace podsim
