// Every event to its line of a metrics file and back.
#include "runtime/report/run_line.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "job/metrics.h"
#include "job/phases.h"
#include "runtime/report/event_line.h"
#include "tests/job/set_metric.h"
#include "tests/runtime/report/filled.h"

namespace podsim {
namespace {

using ::google::protobuf::util::MessageDifferencer;

// What it differs by from `event`; empty: by nothing.
std::string ReadBackDifference(const JobEvent& event) {
  const std::optional<RunLine> line = ParseRunLine(EventLine(event, {}));
  if (!line || !line->event) return "there is no event";
  MessageDifferencer differencer;
  std::string difference;
  differencer.ReportDifferencesToString(&difference);
  differencer.Compare(event, *line->event);
  return difference;
}

JobEvent FilledEvent(const google::protobuf::FieldDescriptor& kind) {
  JobEvent event;
  event.set_wall_time(1.7e9 + 0.123456);
  int next = 0;
  testing::Fill(*event.GetReflection()->MutableMessage(&event, &kind), next);
  // Nobody reads them from a line; see event_line.h.
  if (event.has_joined()) event.mutable_joined()->clear_missing();
  if (event.has_left()) event.mutable_left()->clear_missing();
  if (event.has_formed()) {
    JobPlan& plan = *event.mutable_formed()->mutable_plan();
    plan.mutable_bits()->set_slice("v3-8");
    plan.mutable_spec()->clear_hardware();
  }
  return event;
}

TEST(RunLineTest, EveryKindOfEventIsReadBackAsItWas) {
  const google::protobuf::OneofDescriptor& kinds =
      *JobEvent::descriptor()->FindOneofByName("event");
  for (int i = 0; i < kinds.field_count(); ++i) {
    const auto& kind = *kinds.field(i);
    if (kind.name() == "bench") continue;  // of no training job
    EXPECT_EQ(ReadBackDifference(FilledEvent(kind)), "") << kind.name();
  }
}

TEST(RunLineTest, NumbersThatJsonHasNotAreReadBack) {
  JobEvent event;
  event.set_wall_time(3);
  StepDone& step = *event.mutable_step();
  step.set_step(7);
  step.set_learning_rate(std::numeric_limits<double>::infinity());
  testing::SetMean(step, kLossMetric, std::numeric_limits<double>::infinity());
  EXPECT_EQ(ReadBackDifference(event), "");
}

// Of hosts that report other than whole microseconds.
TEST(RunLineTest, TimesOfProcessesAreExact) {
  JobEvent event;
  for (const float seconds : {0.123456789F, 12.345678F, 1e-9F}) {
    AddOfProcess(kInputPhase, seconds, *event.mutable_step());
    AddOfProcess(kComputePhase, seconds, *event.mutable_step());
    event.mutable_step()->add_process_seconds_waited(seconds);
  }
  EXPECT_EQ(ReadBackDifference(event), "");
}

// Known phases have keys of their own; others come behind them.
TEST(RunLineTest, PhasesAreReadBackInTheirOrder) {
  JobEvent event;
  StepDone& step = *event.mutable_step();
  step.set_seconds(6);
  double seconds = 0.1;
  for (const KnownPhase& phase : kPhaseNames)
    AddSeconds(phase, seconds += 0.1, *step.mutable_phases());
  for (const KnownPhase& phase : kWorkNames)
    AddSeconds(phase, seconds += 0.1, *step.mutable_work());
  for (const KnownPhase& phase : kInputNames)
    AddSeconds(phase, seconds += 0.1, *step.mutable_input());
  EXPECT_THAT(EventLine(event, {}),
              ::testing::HasSubstr("\"proto\":{\"step\":{}}"));
  AddSeconds({"infeed", "infeed"}, 0.25, *step.mutable_phases());
  AddSeconds({"input_unzip", "unzip"}, 0.5, *step.mutable_input());
  EXPECT_EQ(ReadBackDifference(event), "");
  step.mutable_phases()->SwapElements(0, 3);
  step.mutable_work(0)->set_seconds(std::numeric_limits<double>::infinity());
  EXPECT_EQ(ReadBackDifference(event), "");
}

TEST(RunLineTest, AnEvaluationOfNothingIsAnEventToo) {
  JobEvent event;
  event.mutable_eval()->set_step(5);
  const std::string line = EventLine(event, {});
  EXPECT_THAT(line, ::testing::StartsWith("{\"event\":\"no_eval\""));
  EXPECT_EQ(ReadBackDifference(event), "");
}

TEST(RunLineTest, APlanHasItsCommand) {
  JobEvent event;
  event.mutable_formed()->set_generation(2);
  const absl::Time start = absl::FromUnixNanos(1'700'000'000'123'456'789);
  const std::optional<RunLine> line = ParseRunLine(
      EventLine(event, {.plan_text = "a plan\n", .command_start = start}));
  ASSERT_TRUE(line.has_value());
  EXPECT_EQ(line->plan_text, "a plan\n");
  EXPECT_EQ(line->command_start, start);
  EXPECT_EQ(line->event->formed().generation(), 2u);
}

TEST(RunLineTest, AForecastIsExact) {
  JobForecast forecast;
  forecast.step = {.input = SimTime::Picoseconds(1),
                   .store = SimTime::Picoseconds(2),
                   .compute = SimTime::Picoseconds(123'456'789'012'345),
                   .communication = SimTime::Picoseconds(4),
                   .update = SimTime::Picoseconds(5),
                   .exposed_communication = SimTime::Picoseconds(6),
                   .fixed = SimTime::Picoseconds(7),
                   .total = SimTime::Picoseconds(123'456'789'012'400)};
  forecast.replicas = 8;
  forecast.model_flops = 1.25e12;
  const std::optional<RunLine> line =
      ParseRunLine(ForecastLine(forecast, {}, 1));
  ASSERT_TRUE(line.has_value() && line->forecast.has_value());
  EXPECT_FALSE(line->event.has_value());
  const SimStep& step = line->forecast->step;
  EXPECT_EQ(step.input, forecast.step.input);
  EXPECT_EQ(step.store, forecast.step.store);
  EXPECT_EQ(step.compute, forecast.step.compute);
  EXPECT_EQ(step.communication, forecast.step.communication);
  EXPECT_EQ(step.update, forecast.step.update);
  EXPECT_EQ(step.exposed_communication, forecast.step.exposed_communication);
  EXPECT_EQ(step.fixed, forecast.step.fixed);
  EXPECT_EQ(step.total, forecast.step.total);
  EXPECT_EQ(line->forecast->model_flops, 1.25e12);
}

TEST(RunLineTest, WhateverALineHoldsThereIsAnAnswer) {
  for (const char* line :
       {"", "x", "[]", "{}", R"({"event":7})", R"({"event":"step"})",
        R"({"event":"step","proto":7})", R"({"event":"step","proto":{"x":1}})",
        R"({"event":"step","proto":{"step":{}},"step":"a","input_us":{}})",
        R"({"event":"plan","plan_text":1,"command_start_ns":"x"})",
        R"({"event":"forecast","simulated_step_picoseconds":[1]})"}) {
    const std::optional<RunLine> parsed = ParseRunLine(line);
    if (parsed) {
      EXPECT_FALSE(parsed->kind.empty()) << line;
    }
  }
}

TEST(RunLineTest, AStepHasANumber) {
  EXPECT_TRUE(ParseRunLine(R"({"event":"step","step":3})").has_value());
  for (const char* line :
       {R"({"event":"step"})", R"({"event":"step","step":"3"})",
        R"({"event":"step","step":null})"})
    EXPECT_FALSE(ParseRunLine(line).has_value()) << line;
}

TEST(RunLinesTest, LinesAreReadPieceByPiece) {
  std::vector<std::string> kinds;
  RunLines lines([&](const RunLine& line) { kinds.push_back(line.kind); });
  JobEvent event;
  event.mutable_started();
  const std::string text = EventLine(event, {}) + "\nno record\n" +
                           R"({"event":"resume"})" + "\n" + R"({"event":"sum)";
  for (const char letter : text) lines.Add(std::string(1, letter));
  EXPECT_THAT(kinds, ::testing::ElementsAre("started", "resume"));
  lines.Finish();
  EXPECT_EQ(lines.records(), 2);
  EXPECT_EQ(lines.events(), 1);
  EXPECT_EQ(lines.first_bad_line(), 2);
}

}  // namespace
}  // namespace podsim
