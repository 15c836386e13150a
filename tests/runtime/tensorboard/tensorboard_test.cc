// A job's events through the board, as a reader of its files sees them.
#include "runtime/tensorboard/tensorboard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <vector>

#include "job/metrics.h"
#include "job/phases.h"
#include "tests/job/set_metric.h"
#include "tests/runtime/tensorboard/values.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::ScalarsOf;
using ::podsim::testing::SetMean;
using ::podsim::testing::ValueOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Events = std::vector<tensorboard::Event>;

constexpr double kFormedAt = 1.7e9;

// Keeps events, or counts their bytes.
class KeptLog final : public BoardLog {
 public:
  KeptLog(std::array<Events, kEventRuns>& events, std::size_t* bytes)
      : events_(events), bytes_(bytes) {}

  void StartFiles() override {}
  void Add(EventRun run, const tensorboard::Event& event) override {
    if (bytes_ != nullptr)
      *bytes_ += EventRecord(event.SerializeAsString()).size();
    else
      events_[static_cast<std::size_t>(run)].push_back(event);
  }
  absl::Status Close() override { return absl::OkStatus(); }
  absl::Status status() override { return absl::OkStatus(); }

 private:
  std::array<Events, kEventRuns>& events_;
  std::size_t* const bytes_;
};

// What a reader has of a tag, as TensorBoard does it: a beginning drops its
// step and later ones.
std::vector<std::int64_t> StepsOf(const Events& events,
                                  const std::string& tag) {
  std::vector<std::int64_t> steps;
  for (const tensorboard::Event& event : events) {
    if (event.has_session_log())
      std::erase_if(steps, [&](auto step) { return step >= event.step(); });
    if (ValueOf(event, tag).tag() == tag) steps.push_back(event.step());
  }
  return steps;
}

JobEvent FormedEvent(std::int64_t start_step) {
  JobEvent event;
  event.set_wall_time(kFormedAt);
  PodFormed& formed = *event.mutable_formed();
  formed.mutable_start()->set_step(start_step);
  formed.mutable_plan()->set_global_batch(64);
  return event;
}

JobEvent MadeStep(std::int64_t step, double wall_time) {
  JobEvent event;
  event.set_wall_time(wall_time);
  event.mutable_step()->set_step(step);
  event.mutable_step()->set_seconds(0.5);
  SetMean(*event.mutable_step(), kLossMetric, 1.0 / static_cast<double>(step));
  return event;
}

JobEvent Evaluated(std::int64_t step) {
  JobEvent event;
  event.set_wall_time(kFormedAt + 50);
  event.mutable_eval()->set_step(step);
  event.mutable_eval()->set_examples(10);
  SetMean(*event.mutable_eval(), kAccuracyMetric, 9, 10);
  return event;
}

JobEvent Finished(double wall_time) {
  JobEvent event;
  event.set_wall_time(wall_time);
  event.mutable_done();
  return event;
}

class TensorBoardTest : public ::testing::Test {
 protected:
  // With a forecast of steps of 0.25 s.
  std::unique_ptr<TensorBoard> NewBoard(std::size_t* bytes = nullptr) {
    return std::make_unique<TensorBoard>(
        TensorBoardOptions{
            .plan_text = "the plan",
            .command_start = absl::FromUnixSeconds(1'700'000'000 - 2),
            .forecast = [this]() -> const absl::StatusOr<JobForecast>* {
              return forecast_is_there_ ? &forecast_ : nullptr;
            }},
        std::make_unique<KeptLog>(events_, bytes));
  }
  const Events& wall() const { return events_[0]; }
  const Events& sim() const { return events_[1]; }

  std::array<Events, kEventRuns> events_;
  absl::StatusOr<JobForecast> forecast_ =
      JobForecast{.step = {.compute = SimTime::Seconds(0.25),
                           .total = SimTime::Seconds(0.25)},
                  .model_flops = 1e12};
  bool forecast_is_there_ = true;
};

TEST_F(TensorBoardTest, ARunHasAllThatItIsToHave) {
  const auto board = NewBoard();
  board->OnEvent(FormedEvent(0));
  for (int step = 1; step <= 3; ++step)
    board->OnEvent(MadeStep(step, kFormedAt + step));
  board->OnEvent(Evaluated(3));
  board->OnEvent(Finished(kFormedAt + 4));
  EXPECT_THAT(board->Close(), IsOk());

  ASSERT_GE(wall().size(), 2u);
  EXPECT_TRUE(wall()[0].has_session_log());
  EXPECT_EQ(wall()[0].step(), 0);
  EXPECT_EQ(ValueOf(wall()[1], "plan").tensor().string_val(0),
            "```\nthe plan\n```\n");
  EXPECT_THAT(StepsOf(wall(), "_hparams_/session_start_info"), ElementsAre(0));
  for (const char* tag : {"loss", "learning/loss", "perf/step_time_seconds",
                          "perf/per_device_tflops_per_sec"})
    EXPECT_THAT(StepsOf(wall(), tag), ElementsAre(1, 2, 3)) << tag;
  EXPECT_THAT(StepsOf(wall(), "eval/accuracy"), ElementsAre(3));
  EXPECT_THAT(StepsOf(wall(), "goodput/fraction"), ElementsAre(3));
  EXPECT_THAT(StepsOf(wall(), "_hparams_/session_end_info"), ElementsAre(3));

  EXPECT_TRUE(sim()[0].has_session_log());
  EXPECT_THAT(StepsOf(sim(), "memory/hbm_bytes_per_core"), ElementsAre(0));
  EXPECT_THAT(StepsOf(sim(), "perf/step_time_seconds"), ElementsAre(1, 2, 3));
  EXPECT_THAT(StepsOf(sim(), "eval/accuracy"), ElementsAre(3));
  EXPECT_THAT(StepsOf(sim(), "goodput/fraction"), IsEmpty());
}

TEST_F(TensorBoardTest, EachRunHasItsClock) {
  const auto board = NewBoard();
  board->OnEvent(FormedEvent(0));
  board->OnEvent(MadeStep(1, kFormedAt + 8));
  board->OnEvent(MadeStep(2, kFormedAt + 16));
  EXPECT_EQ(wall().back().wall_time(), kFormedAt + 16);
  EXPECT_EQ(ScalarsOf(wall().back()).at("perf/step_time_seconds"), 0.5F);
  EXPECT_EQ(ScalarsOf(wall().back()).at("perf/per_device_tflops_per_sec"), 2);
  // Two steps of 0.25 s after the pod has formed.
  EXPECT_EQ(sim().back().wall_time(), kFormedAt + 0.5);
  EXPECT_EQ(ScalarsOf(sim().back()).at("perf/step_time_seconds"), 0.25F);
  EXPECT_EQ(ScalarsOf(sim().back()).at("perf/examples_per_second"), 256);
  EXPECT_EQ(ScalarsOf(sim().back()).at("perf/per_device_tflops_per_sec"), 4);
}

TEST_F(TensorBoardTest, WithoutAForecastThereIsNoSimulatedStep) {
  forecast_is_there_ = false;
  const auto board = NewBoard();
  board->OnEvent(FormedEvent(0));
  board->OnEvent(MadeStep(1, kFormedAt + 1));
  EXPECT_THAT(StepsOf(sim(), "loss"), IsEmpty());
  forecast_is_there_ = true;
  board->OnEvent(MadeStep(2, kFormedAt + 2));
  EXPECT_THAT(StepsOf(sim(), "loss"), ElementsAre(2));
  EXPECT_EQ(sim().back().wall_time(), kFormedAt + 0.5) << "both steps count";
}

TEST_F(TensorBoardTest, TheLastStepIsAlwaysWritten) {
  const auto board = NewBoard();
  board->OnEvent(FormedEvent(0));
  for (int step = 1; step <= 1010; ++step)
    board->OnEvent(MadeStep(step, kFormedAt + 1e-4 * step));
  EXPECT_EQ(StepsOf(wall(), "loss").back(), 1000);
  EXPECT_THAT(board->Close(), IsOk());
  EXPECT_EQ(StepsOf(wall(), "loss").size(), 1001u);
  EXPECT_EQ(StepsOf(wall(), "loss").back(), 1010);
  EXPECT_EQ(StepsOf(sim(), "loss").back(), 1010);
}

TEST_F(TensorBoardTest, StepsOfAnotherGenerationReplaceTheLostOnes) {
  const auto board = NewBoard();
  board->OnEvent(FormedEvent(0));
  for (int step = 1; step <= 5; ++step)
    board->OnEvent(MadeStep(step, kFormedAt + step));
  board->OnEvent(FormedEvent(2));  // from the checkpoint of step 2
  for (int step = 3; step <= 6; ++step)
    board->OnEvent(MadeStep(step, kFormedAt + 10 + step));
  EXPECT_THAT(board->Close(), IsOk());
  for (const Events* run : {&wall(), &sim()})
    EXPECT_THAT(StepsOf(*run, "loss"), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(StepsOf(wall(), "plan"), ElementsAre(0, 3));
}

// Files of the job before are read first.
TEST_F(TensorBoardTest, AResumedJobDoublesNothing) {
  for (const int start : {0, 4}) {
    const auto board = NewBoard();
    board->OnEvent(FormedEvent(start));
    for (int step = start + 1; step <= start + 5; ++step)
      board->OnEvent(MadeStep(step, kFormedAt + 100 * start + step));
    board->OnEvent(Evaluated(start + 5));
    EXPECT_THAT(board->Close(), IsOk());
  }
  EXPECT_THAT(StepsOf(wall(), "loss"), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_THAT(StepsOf(wall(), "eval/accuracy"), ElementsAre(9));
  // It has nothing left to do, but to evaluate what it has evaluated before.
  const auto again = NewBoard();
  again->OnEvent(FormedEvent(9));
  again->OnEvent(Evaluated(9));
  again->OnEvent(Finished(kFormedAt + 2000));
  EXPECT_THAT(again->Close(), IsOk());
  EXPECT_THAT(StepsOf(wall(), "eval/accuracy"), ElementsAre(9));
  EXPECT_THAT(StepsOf(wall(), "loss").size(), 9u);
}

TEST_F(TensorBoardTest, AnEvaluationOfACheckpointDropsNothing) {
  JobEvent formed = FormedEvent(9);
  formed.mutable_formed()->mutable_plan()->mutable_spec()->set_mode(
      words::Mode::eval);
  const auto board = NewBoard();
  board->OnEvent(formed);
  board->OnEvent(Evaluated(9));
  board->OnEvent(Finished(kFormedAt + 60));
  EXPECT_THAT(board->Close(), IsOk());
  ASSERT_EQ(wall().size(), 1u);
  EXPECT_EQ(ScalarsOf(wall()[0]).at("eval/accuracy"), 0.9F);
  EXPECT_THAT(sim(), IsEmpty());
}

// As slow as one a second; slower ones have as many events.
TEST_F(TensorBoardTest, AHundredThousandStepsHaveLessThan60Megabytes) {
  std::size_t bytes = 0;
  const auto board = NewBoard(&bytes);
  board->OnEvent(FormedEvent(0));
  JobEvent event = MadeStep(1, kFormedAt);
  SetMean(*event.mutable_step(), kAccuracyMetric, 1, 2);
  AddSeconds(kInputPhase, 0.125, *event.mutable_step()->mutable_phases());
  for (int step = 1; step <= 100'000; ++step) {
    event.mutable_step()->set_step(step);
    event.set_wall_time(kFormedAt + step);
    board->OnEvent(event);
  }
  EXPECT_THAT(board->Close(), IsOk());
  EXPECT_GT(bytes, 10'000'000u);
  EXPECT_LT(bytes, 60'000'000u);
}

}  // namespace
}  // namespace podsim
