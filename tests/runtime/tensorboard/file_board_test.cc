// The same events to a running job's board, and to its metrics file and from
// there to another board.
#include "runtime/tensorboard/file_board.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "job/metrics.h"
#include "job/phases.h"
#include "proto/third_party/tensorboard/hparams.pb.h"
#include "runtime/report/event_line.h"
#include "tests/job/set_metric.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;

constexpr double kBegin = 1'700'000'000.125;

// The bytes of all events by run, with marks where files begin.
using WrittenEvents = std::array<std::vector<std::string>, kEventRuns>;

// Hyperparameters are a map, whose bytes have no order.
std::string InOrder(tensorboard::Event event) {
  if (!event.has_summary()) return event.ShortDebugString();
  for (auto& value : *event.mutable_summary()->mutable_value()) {
    if (!value.has_metadata()) continue;
    auto& plugin = *value.mutable_metadata()->mutable_plugin_data();
    tensorboard::hparams::HParamsPluginData data;
    if (plugin.plugin_name() == "hparams" &&
        data.ParseFromString(plugin.content()))
      plugin.set_content(data.ShortDebugString());
  }
  return event.ShortDebugString();
}

class WrittenLog final : public BoardLog {
 public:
  explicit WrittenLog(WrittenEvents& written) : written_(written) {}
  void StartFiles() override {
    for (auto& run : written_) run.emplace_back("a file begins");
  }
  void Add(EventRun run, const tensorboard::Event& event) override {
    written_[static_cast<std::size_t>(run)].push_back(InOrder(event));
  }
  absl::Status Close() override { return absl::OkStatus(); }
  absl::Status status() override { return absl::OkStatus(); }

 private:
  WrittenEvents& written_;
};

JobEvent EventAfter(double seconds) {
  JobEvent event;
  event.set_wall_time(kBegin + seconds);
  return event;
}

JobEvent JoinedAfter(double seconds) {
  JobEvent event = EventAfter(seconds);
  event.mutable_joined()->mutable_process()->set_process(1);
  return event;
}

JobEvent FormedAfter(double seconds, std::uint32_t generation,
                     std::int64_t start_step) {
  JobEvent event = EventAfter(seconds);
  PodFormed& formed = *event.mutable_formed();
  formed.set_generation(generation);
  formed.mutable_start()->set_step(start_step);
  if (start_step > 0) formed.mutable_start()->set_checkpoint("m/2");
  JobPlan& plan = *formed.mutable_plan();
  plan.set_hash("abc");
  plan.set_global_batch(64);
  plan.mutable_core_memory()->set_hbm(1 << 30);
  plan.mutable_bits()->set_slice("v3-8");
  plan.mutable_bits()->mutable_learning_rate()->set_peak(0.1);
  return event;
}

JobEvent StartedAfter(double seconds) {
  JobEvent event = EventAfter(seconds);
  event.mutable_started();
  return event;
}

JobEvent StepAfter(double seconds, std::int64_t number) {
  JobEvent event = EventAfter(seconds);
  StepDone& step = *event.mutable_step();
  step.set_step(number);
  step.set_examples(64 * number);
  step.set_learning_rate(0.1 / static_cast<double>(number));
  step.set_examples_per_second(64 / 0.7);
  step.set_seconds(0.7);
  for (const KnownPhase& phase : kPhaseNames)
    AddSeconds(phase, 0.7 / 3, *step.mutable_phases());
  AddSeconds({"infeed", "infeed"}, 0.01, *step.mutable_phases());
  for (const int microseconds : {1'234, 23'456, 345'678}) {
    const auto seconds_of_it = static_cast<float>(1e-6 * microseconds);
    AddOfProcess(kInputPhase, seconds_of_it / 2, step);
    AddOfProcess(kComputePhase, seconds_of_it, step);
    step.add_process_seconds_waited(0.4F - seconds_of_it);
  }
  testing::SetLossSum(step, 1 / 3.0);
  testing::SetMean(step, kAccuracyMetric, static_cast<double>(number), 7);
  testing::SetMean(step, "margin", 2, 3);
  return event;
}

JobEvent EvalAfter(double seconds, std::int64_t step) {
  JobEvent event = EventAfter(seconds);
  event.mutable_eval()->set_step(step);
  event.mutable_eval()->set_examples(10);
  testing::SetMean(*event.mutable_eval(), kAccuracyMetric, 9, 10);
  return event;
}

JobEvent SlowAfter(double seconds, std::int64_t step) {
  JobEvent event = EventAfter(seconds);
  FaultStruck& struck = *event.mutable_fault();
  struck.set_step(step);
  struck.mutable_fault()->set_kind(Fault::SLOW);
  struck.mutable_fault()->set_phase("compute");
  struck.mutable_fault()->set_seconds(0.125);
  return event;
}

JobEvent SavedAfter(double seconds, std::int64_t step) {
  JobEvent event = EventAfter(seconds);
  event.mutable_saved()->set_step(step);
  event.mutable_saved()->set_seconds_paused(0.01);
  return event;
}

JobEvent FailedAfter(double seconds) {
  JobEvent event = EventAfter(seconds);
  event.mutable_failed()->set_message("a host is gone");
  return event;
}

JobEvent RestartAfter(double seconds) {
  JobEvent event = EventAfter(seconds);
  event.mutable_restarting()->set_generation(2);
  return event;
}

JobEvent DoneAfter(double seconds) {
  JobEvent event = EventAfter(seconds);
  event.mutable_done()->set_steps(4);
  return event;
}

JobForecast ForecastOf(int milliseconds) {
  JobForecast forecast;
  forecast.step.compute = SimTime::Seconds(1e-3 * milliseconds);
  forecast.step.fixed = SimTime::Picoseconds(1'234'567);
  forecast.step.total = forecast.step.compute + forecast.step.fixed;
  forecast.replicas = 8;
  forecast.model_flops = 1.25e12;
  return forecast;
}

// A command that runs a job, or goes on with one.
struct Launch {
  double start = 0;
  JobForecast forecast;
  std::vector<JobEvent> events;
  bool is_killed = false;  // and writes no last line
};

// What its own board wrote, and its lines, with the forecast before the first
// step, as the reporter has it.
std::string RunLive(const Launch& launch, WrittenEvents& written) {
  absl::StatusOr<JobForecast> forecast = launch.forecast;
  const RunContext context = {
      .plan_text = absl::StrCat("plan of ", launch.start),
      .command_start = absl::UnixEpoch() + absl::Seconds(launch.start)};
  TensorBoard board({.plan_text = context.plan_text,
                     .command_start = *context.command_start,
                     .forecast = [&] { return &forecast; }},
                    std::make_unique<WrittenLog>(written));
  std::string lines;
  bool is_forecast = false;
  for (const JobEvent& event : launch.events) {
    board.OnEvent(event);
    if (event.has_step() && !std::exchange(is_forecast, true))
      absl::StrAppend(&lines, ForecastLine(*forecast, {}, 0), "\n");
    absl::StrAppend(&lines, EventLine(event, context), "\n");
  }
  if (!launch.is_killed) {
    EXPECT_THAT(board.Close(), IsOk());
    lines += "{\"event\":\"summary\"}\n";
  }
  return lines;
}

WrittenEvents FromFile(const std::string& file) {
  WrittenEvents written;
  FileBoard board(std::make_unique<WrittenLog>(written));
  RunLines lines([&](const RunLine& line) { board.OnLine(line); });
  lines.Add(file);
  lines.Finish();
  EXPECT_TRUE(board.has_run());
  EXPECT_THAT(board.Close(), IsOk());
  return written;
}

const Launch& WholeRun() {
  static const auto* const kRun = new Launch{
      .start = kBegin - 1.75,
      .forecast = ForecastOf(250),
      .events = {JoinedAfter(-1), FormedAfter(0, 1, 0), StartedAfter(0.5),
                 StepAfter(1, 1), SlowAfter(1.1, 2), StepAfter(2, 2),
                 SavedAfter(2.5, 2), StepAfter(3, 3), EvalAfter(4, 3),
                 FailedAfter(4.5), RestartAfter(5), FormedAfter(6, 2, 2),
                 StartedAfter(7), StepAfter(8, 3), StepAfter(8.7, 4),
                 EvalAfter(9, 4), DoneAfter(10)}};
  return *kRun;
}

// Bit for bit: scalars of both clocks, goodput, plan, hyperparameters, and
// where files begin anew.
TEST(FileBoardTest, AFileHasWhatTheRunningJobWrote) {
  WrittenEvents live;
  const std::string lines = RunLive(WholeRun(), live);
  ASSERT_GT(live[0].size(), 8u);
  ASSERT_GT(live[1].size(), 8u);
  const WrittenEvents later = FromFile(lines);
  EXPECT_EQ(later[0], live[0]);
  EXPECT_EQ(later[1], live[1]);
}

TEST(FileBoardTest, AResumedJobsFileHasBothLaunches) {
  WrittenEvents live;
  Launch killed = WholeRun();
  killed.events.resize(8);
  killed.is_killed = true;
  const Launch resumed = {
      .start = kBegin + 100,
      .forecast = ForecastOf(125),
      .events = {JoinedAfter(101), FormedAfter(102, 1, 2), StartedAfter(103),
                 StepAfter(104, 3), StepAfter(105, 4), DoneAfter(106)}};
  std::string lines = RunLive(killed, live);
  lines += RunLive(resumed, live);
  const WrittenEvents later = FromFile(lines);
  EXPECT_EQ(later[0], live[0]);
  EXPECT_EQ(later[1], live[1]);
}

TEST(FileBoardTest, OfAnotherFileNothingIsWritten) {
  WrittenEvents written;
  FileBoard board(std::make_unique<WrittenLog>(written));
  RunLines lines([&](const RunLine& line) { board.OnLine(line); });
  lines.Add("{\"event\":\"step\",\"step\":1}\n{\"event\":\"summary\"}\n");
  EXPECT_FALSE(board.has_run());
  EXPECT_THAT(board.Close(), IsOk());
  EXPECT_THAT(written[0], ::testing::IsEmpty());
}

}  // namespace
}  // namespace podsim
