#include "runtime/trace/file_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "job/phases.h"
#include "runtime/forecast/drawn_step.h"
#include "runtime/job/spec_check.h"
#include "runtime/report/event_line.h"
#include "runtime/trace/sim_step_part.h"
#include "tests/runtime/job/job_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::PlanOf;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kTrainingAt = 1'700'000'000;

JobEvent FormedOf(const JobPlan& plan) {
  JobEvent event;
  event.set_wall_time(kTrainingAt);
  *event.mutable_formed()->mutable_plan() = plan;
  event.mutable_formed()->mutable_plan()->clear_program();
  return event;
}

// A step of 0.5 s each second, in which process 1 came last.
JobEvent MadeStepOf(std::int64_t number) {
  JobEvent event;
  event.set_wall_time(kTrainingAt + static_cast<double>(number));
  StepDone& step = *event.mutable_step();
  step.set_step(number);
  step.set_seconds(0.5);
  AddSeconds(kInputPhase, 0.125, *step.mutable_phases());
  AddSeconds(kComputePhase, 0.25, *step.mutable_phases());
  AddSeconds(kReducePhase, 0.0625, *step.mutable_phases());
  AddSeconds(kUpdatePhase, 0.0625, *step.mutable_phases());
  step.set_last_process(1);
  for (const float input : {0.0F, 0.125F}) {
    AddOfProcess(kInputPhase, input, step);
    AddOfProcess(kComputePhase, 0.25F, step);
    step.add_process_seconds_waited(0.125F - input);
  }
  return event;
}

void Tell(const JobEvent& event, FileTrace& trace) {
  const std::optional<RunLine> line = ParseRunLine(EventLine(event, {}));
  ASSERT_TRUE(line.has_value());
  trace.OnLine(*line);
}

// Of a process's first track: "input" to 125 ms.
using Spans = std::vector<std::pair<std::string, std::int64_t>>;
Spans SpansOf(const Trace& trace, const std::string& process,
              std::int64_t step) {
  Spans spans;
  for (const TraceProcess& each : trace.processes) {
    if (each.name != process) continue;
    for (const TraceSlice& slice : each.tracks[0].slices)
      if (std::get<std::int64_t>(slice.arguments[0].value) == step)
        spans.emplace_back(slice.name, (slice.end - slice.begin) / 1'000'000);
  }
  return spans;
}

std::vector<std::string> SliceNamesOf(const Trace& trace) {
  std::vector<std::string> names;
  for (const TraceProcess& process : trace.processes)
    names.push_back(process.name);
  return names;
}

void TellAll(const std::vector<std::string>& lines, FileTrace& file) {
  for (const std::string& text : lines) {
    const auto line = ParseRunLine(text);
    ASSERT_TRUE(line.has_value() && (line->trace_part || line->trace_sim));
    file.OnLine(*line);
  }
}

class FileTraceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(plan_, PlanOf("topology: 'v3-32' processes: 2"));
  }
  Trace TraceOf(const std::string& steps) {
    FileTrace file(steps);
    Tell(FormedOf(plan_), file);
    for (int step = 1; step <= 6; ++step) Tell(MadeStepOf(step), file);
    absl::StatusOr<Trace> trace = file.Make();
    EXPECT_THAT(trace, ::podsim::testing::IsOk());
    return trace.ok() ? *std::move(trace) : Trace();
  }

  JobPlan plan_;
};

TEST_F(FileTraceTest, EachHostHasItsPhases) {
  const Trace trace = TraceOf("4:5");
  EXPECT_EQ(trace.first_step, 4);
  EXPECT_EQ(trace.last_step, 5);
  EXPECT_THAT(
      SpansOf(trace, "wall: host 3", 4),
      ElementsAre(std::pair("step 4", 500), std::pair("input", 125),
                  std::pair("forward and backward", 250),
                  std::pair("all-reduce", 62), std::pair("update", 62)));
  EXPECT_THAT(SpansOf(trace, "wall: host 0", 4),
              ElementsAre(std::pair("step 4", 500),
                          std::pair("forward and backward", 250),
                          std::pair("wait for host 2: all-reduce", 125),
                          std::pair("all-reduce, update and other", 125)));
  EXPECT_THAT(SpansOf(trace, "wall: host 0", 3), IsEmpty());
  EXPECT_EQ(trace.begin,
            static_cast<std::int64_t>((kTrainingAt + 3.5) * 1'000'000'000));
}

// As the traced run itself draws them.
TEST_F(FileTraceTest, SimulatedStepsAndTheCoordinatorAreThere) {
  const std::vector<std::string> names = SliceNamesOf(TraceOf(""));
  EXPECT_THAT(names, AllOf(Contains("wall: coordinator"),
                           Contains(HasSubstr("sim: v3-32 cores")),
                           Contains("sim: v3-32 links")));
}

TEST_F(FileTraceTest, SaysWhereSpansAre) {
  EXPECT_THAT(TraceOf("2").notes,
              Contains(HasSubstr("kept by traced runs alone")));
  FileTrace file("");
  Tell(FormedOf(plan_), file);
  file.OnLine(*ParseRunLine(TraceLine({.trace = "a.pftrace"})));
  ASSERT_OK_AND_ASSIGN(const Trace trace, file.Make());
  EXPECT_THAT(trace.notes, Contains(HasSubstr("in a.pftrace")));
}

// Process 1 of two with two hosts each: a product on core 3 of host 2.
TracePart KeptPart(std::int64_t step) {
  TracePart part;
  part.set_process(1);
  part.set_first_host(2);
  part.set_hosts(2);
  part.set_cores_per_host(8);
  TraceSpan& span = *part.add_spans();
  span.set_kind(TraceSpan::COMPUTE);
  span.set_host(2);
  span.set_hosts(1);
  span.set_core(3);
  span.set_cores(1);
  span.set_peer(-1);
  span.set_step(step);
  span.set_begin(1'000'000);
  span.set_end(3'000'000);
  span.set_name("dense_0/kernel");
  return part;
}

class KeptSpansTest : public FileTraceTest {
 protected:
  Trace TraceWith(const TracePart& part, const std::string& steps) {
    FileTrace file(steps);
    Tell(FormedOf(plan_), file);
    for (int step = 1; step <= 6; ++step) Tell(MadeStepOf(step), file);
    TellAll(TracePartLines(part), file);
    absl::StatusOr<Trace> trace = file.Make();
    EXPECT_THAT(trace, ::podsim::testing::IsOk());
    return trace.ok() ? *std::move(trace) : Trace();
  }
};

TEST_F(KeptSpansTest, WhatATracedRunKeptIsDrawn) {
  for (const std::string steps : {"", "3"}) {
    const Trace trace = TraceWith(KeptPart(3), steps);
    EXPECT_EQ(trace.first_step, 3);
    EXPECT_EQ(trace.last_step, 3);
    EXPECT_THAT(SpansOf(trace, "wall: host 2", 3),
                ElementsAre(std::pair("dense_0/kernel", 2)));
    EXPECT_THAT(SliceNamesOf(trace), Contains("sim: v3-32 links"));
  }
}

TEST_F(KeptSpansTest, OfOtherStepsThereArePhases) {
  EXPECT_THAT(SpansOf(TraceWith(KeptPart(3), "3:4"), "wall: host 0", 4),
              Contains(std::pair("forward and backward", 250)));
}

// Names make it several pieces, of which each line has one.
TEST_F(KeptSpansTest, ALargePartIsReadPieceByPiece) {
  TracePart part = KeptPart(3);
  const TraceSpan span = part.spans(0);
  std::mt19937 random(7);
  for (int at = 1; at < 40; ++at) {
    TraceSpan& next = *part.add_spans() = span;
    next.set_begin(span.end() * static_cast<std::uint64_t>(at));
    next.set_end(next.begin() + 1);
    std::string name(100'000, ' ');
    for (char& letter : name)
      letter = static_cast<char>('a' + static_cast<int>(random() % 26));
    next.set_name(name);
  }
  const std::vector<std::string> lines = TracePartLines(part);
  ASSERT_GE(lines.size(), 3U);
  for (const std::string& line : lines) EXPECT_LT(line.size(), 2U << 20);
  EXPECT_THAT(SpansOf(TraceWith(part, "3"), "wall: host 2", 3),
              ::testing::SizeIs(40));

  // One that lacks its end, as of a run that was killed, is not drawn.
  FileTrace cut("3");
  Tell(FormedOf(plan_), cut);
  for (int step = 1; step <= 3; ++step) Tell(MadeStepOf(step), cut);
  TellAll({lines.begin(), lines.end() - 1}, cut);
  ASSERT_OK_AND_ASSIGN(const Trace trace, cut.Make());
  EXPECT_THAT(SpansOf(trace, "wall: host 0", 3),
              Contains(std::pair("forward and backward", 250)));
}

// Neither is anything of a file that lacks some of what was kept.
TEST_F(KeptSpansTest, WithALostPartThereArePhases) {
  std::vector<std::string> whole = TracePartLines(KeptPart(3));
  std::vector<std::string> first = whole;
  first[0].replace(first[0].find("true"), 4, "false");
  TracePart other = KeptPart(3);
  other.set_process(0);
  const std::vector<std::string> next = TracePartLines(other);
  const std::vector<std::vector<std::string>> files = {
      {R"({"event":"trace_part","process":0,"last":true,"part":"!"})",
       whole[0]},
      {whole[0], R"({"event":"trace_part","process":0})"},
      {first[0], next[0]}};
  for (const std::vector<std::string>& lines : files) {
    FileTrace file("3");
    Tell(FormedOf(plan_), file);
    for (int step = 1; step <= 3; ++step) Tell(MadeStepOf(step), file);
    for (const std::string& line : lines) file.OnLine(*ParseRunLine(line));
    ASSERT_OK_AND_ASSIGN(const Trace trace, file.Make());
    EXPECT_THAT(SpansOf(trace, "wall: host 0", 3),
                Contains(std::pair("forward and backward", 250)));
    EXPECT_THAT(trace.notes, Contains(HasSubstr("cut short, or too large")));
  }
}

// A file may say anything.
TEST_F(KeptSpansTest, AProcessThatIsNoWholeNumberIsTheFirst) {
  std::string line = TracePartLines(KeptPart(3))[0];
  const std::string process = R"("process":1)";
  ASSERT_NE(line.find(process), line.npos);
  line.insert(line.find(process) + process.size(), "e300");
  const auto read = ParseRunLine(line);
  ASSERT_TRUE(read.has_value() && read->trace_part.has_value());
  EXPECT_EQ(read->trace_part->process, 0);
}

TEST_F(KeptSpansTest, SpansOfNoHostOfThePlanAreNotDrawn) {
  TracePart hosts = KeptPart(3);
  hosts.mutable_spans(0)->set_hosts(1 << 30);
  TracePart cores = KeptPart(3);
  cores.mutable_spans(0)->set_cores(1 << 30);
  TracePart late = KeptPart(3);
  late.mutable_spans(0)->set_end(~std::uint64_t{0});
  TracePart other = KeptPart(3);
  other.set_first_host(3);
  TracePart clock = KeptPart(3);
  clock.set_offset_ns(std::int64_t{1} << 62);
  for (const TracePart& part : {hosts, cores, late, other, clock})
    EXPECT_THAT(SpansOf(TraceWith(part, "3"), "wall: host 0", 3),
                Contains(std::pair("forward and backward", 250)));
}

TEST_F(FileTraceTest, WithoutTheModelsFileThereIsNoSimulatedStep) {
  plan_.mutable_spec()->set_model_file("net.model");
  const Trace trace = TraceOf("2");
  EXPECT_THAT(SliceNamesOf(trace),
              ElementsAre("wall: host 0", "wall: host 1", "wall: host 2",
                          "wall: host 3", "wall: coordinator"));
  EXPECT_THAT(trace.notes, Contains(HasSubstr("net.model")));
}

// A run keeps the step that it drew.
TEST_F(FileTraceTest, TheKeptSimulatedStepNeedsNoModelsFile) {
  ASSERT_OK_AND_ASSIGN(const Slice slice, SliceNamed("v3-32", plan_.spec()));
  ASSERT_OK_AND_ASSIGN(const DrawnStep drawn, DrawStep(plan_, slice));
  const SimStepPart kept = ToProto(drawn);
  plan_.mutable_spec()->set_model_file("net.model");
  SimStepPart broken = kept;
  broken.mutable_messages(0)->set_link(1 << 20);
  for (const bool is_whole : {true, false}) {
    FileTrace file("2");
    Tell(FormedOf(plan_), file);
    for (int step = 1; step <= 3; ++step) Tell(MadeStepOf(step), file);
    TellAll(TraceSimLines(is_whole ? kept : broken), file);
    ASSERT_OK_AND_ASSIGN(const Trace trace, file.Make());
    EXPECT_EQ(SliceNamesOf(trace).back(),
              is_whole ? "sim: v3-32 links" : "wall: coordinator");
  }
}

TEST(FileTrace, WithoutAPlanThereIsNone) {
  EXPECT_EQ(FileTrace("").Make().status().code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace podsim
