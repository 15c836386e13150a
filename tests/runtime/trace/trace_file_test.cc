#include "runtime/trace/trace_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/runtime/trace/read_back.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::ReadSlice;
using ::podsim::testing::ReadTrace;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

JobPlan FourHosts() {
  JobPlan plan;
  plan.mutable_bits()->set_slice("v3-32");
  plan.mutable_bits()->set_hosts(4);
  plan.mutable_bits()->set_cores_per_host(8);
  plan.mutable_spec()->set_processes(2);
  plan.add_first_host(0);
  plan.add_first_host(2);
  return plan;
}

TracePart PartOf(int process) {
  TracePart part;
  part.set_process(process);
  part.set_first_host(2 * process);
  part.set_hosts(2);
  part.set_cores_per_host(8);
  part.set_offset_ns(12'300);
  part.set_uncertainty_ns(40'100);
  part.set_round_trips(6);
  for (const std::int64_t step : {20, 21}) {
    TraceSpan& span = *part.add_spans();
    span.set_kind(TraceSpan::STEP);
    span.set_host(2 * process);
    span.set_hosts(2);
    span.set_step(step);
    span.set_begin(1'000'000 + step * 1000);
    span.set_end(1'000'500 + step * 1000);
    span.set_name(absl::StrCat("step ", step));
  }
  return part;
}

DrawnStep OneKernel() {
  DrawnStep step;
  step.kernels = {{.begin = SimTime(),
                   .end = SimTime::Picoseconds(7000),
                   .name = "matmul"}};
  step.total = SimTime::Picoseconds(7000);
  return step;
}

Slice ThirtyTwoCores() { return *FindSlice("v3-32"); }

TEST(MakeTrace, TheSimulatedStepsBeginWithTheFirstTracedOne) {
  const Trace trace = MakeTrace({.parts = {PartOf(0), PartOf(1)}}, {},
                                OneKernel(), FourHosts(), ThirtyTwoCores());
  EXPECT_EQ(trace.first_step, 20);
  EXPECT_EQ(trace.last_step, 21);
  std::set<std::string> processes;
  int kernels = 0;
  for (const TraceProcess& process : trace.processes) {
    processes.insert(process.name);
    for (const TraceTrack& track : process.tracks)
      for (const TraceSlice& slice : track.slices)
        if (slice.name == "matmul") {
          ++kernels;
          EXPECT_GE(slice.begin, 1'020'000 + 12'300);
        }
  }
  EXPECT_THAT(
      processes,
      ElementsAre("sim: v3-32 cores, 8 of 32 that do the same", "wall: host 0",
                  "wall: host 1", "wall: host 2", "wall: host 3"));
  EXPECT_EQ(kernels, 8 * 2);
}

TEST(MakeTrace, HasTheCoordinatorBetweenHostsAndSimulatedSteps) {
  const Trace trace = MakeTrace(
      {.parts = {PartOf(0)}},
      {{.is_step = true, .step = 20, .begin = 5, .end = 5, .name = "reported"},
       {.is_step = true, .step = 22, .begin = 9, .end = 9, .name = "later"}},
      OneKernel(), FourHosts(), ThirtyTwoCores());
  ASSERT_EQ(trace.processes.size(), 4U);
  EXPECT_EQ(trace.processes[2].name, "wall: coordinator");
  ASSERT_EQ(trace.processes[2].tracks.size(), 1U);
  EXPECT_EQ(trace.processes[2].tracks[0].slices.size(), 1U);
}

TEST(MakeTrace, SaysHowFarClocksAreOffAndWhatIsMissing) {
  TracePart part = PartOf(1);
  part.set_dropped(5);
  const Trace trace =
      MakeTrace({.parts = {part}}, {}, absl::InternalError("no price"),
                FourHosts(), ThirtyTwoCores());
  EXPECT_THAT(trace.clocks,
              ElementsAre("hosts 2-3: +12.3 us, within 40.1 us, by "
                          "6 round trips"));
  EXPECT_THAT(trace.notes,
              ElementsAre(HasSubstr("nothing of hosts 0-1"),
                          HasSubstr("5 spans were dropped"),
                          HasSubstr("no simulated steps: no price")));
}

TEST(MakeTrace, OfNoPartHasNoStep) {
  const Trace trace =
      MakeTrace({}, {}, OneKernel(), FourHosts(), ThirtyTwoCores());
  EXPECT_EQ(trace.first_step, 0);
  EXPECT_TRUE(trace.processes.empty());
  EXPECT_THAT(TraceRows("a.pftrace", trace)[0].text,
              HasSubstr("no step was traced"));
}

TEST(TraceFile, IsWrittenAndReadBack) {
  const testing::TempDir dir;
  const std::string part = dir.file("part");
  {
    std::ofstream file(part, std::ios::binary);
    ASSERT_TRUE(PartOf(0).SerializeToOstream(&file));
  }
  const TraceParts parts = ReadParts({part, dir.file("none")});
  ASSERT_EQ(parts.parts.size(), 1U);
  EXPECT_THAT(parts.unreadable, IsEmpty());
  const Trace trace =
      MakeTrace(parts, {}, OneKernel(), FourHosts(), ThirtyTwoCores());
  const std::string path = dir.file("a.pftrace");
  ASSERT_THAT(WriteTraceFile(path, trace), IsOk());
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  const std::vector<ReadSlice> slices = ReadTrace(bytes);
  EXPECT_EQ(static_cast<std::int64_t>(slices.size()),
            SlicesOf(trace.processes));
  const std::vector<TextRow> rows = TraceRows(path, trace);
  EXPECT_THAT(rows[0].text, HasSubstr("steps 20 to 21"));
  EXPECT_THAT(rows[1].text, HasSubstr("within 40.1 us"));
}

TEST(WriteProfiles, LieWhereXProfLooks) {
  const testing::TempDir dir;
  TracePart part = PartOf(1);
  TraceSpan segment = part.spans(0);
  segment.set_kind(TraceSpan::COMPUTE);
  segment.set_hosts(1);
  segment.set_cores(8);
  *part.add_spans() = segment;
  const Trace trace = MakeTrace({.parts = {part}}, {}, OneKernel(), FourHosts(),
                                ThirtyTwoCores());
  ASSERT_THAT(WriteProfiles(dir.file("a"), trace), IsOk());
  // 1,032,300 ns since 1970.
  const std::string runs = dir.file("a/plugins/profile/1970_01_01_00_00_00");
  EXPECT_TRUE(std::filesystem::exists(runs + "_wall/host2.xplane.pb"));
  EXPECT_FALSE(std::filesystem::exists(runs + "_wall/host3.xplane.pb"))
      << "without a core there is no device";
  EXPECT_TRUE(std::filesystem::exists(runs + "_sim/host0.xplane.pb"));
  // Another job whose first step began in the same second.
  std::ofstream(runs + "_wall/host2.xplane.pb") << "theirs";
  ASSERT_THAT(WriteProfiles(dir.file("a"), trace), IsOk());
  EXPECT_EQ(std::filesystem::file_size(runs + "_wall/host2.xplane.pb"), 6U);
  EXPECT_TRUE(std::filesystem::exists(runs + "_2_wall/host2.xplane.pb"));
  EXPECT_TRUE(std::filesystem::exists(runs + "_2_sim/host0.xplane.pb"));
  // A name is free if it is for both clocks.
  std::filesystem::create_directories(runs + "_3_sim");
  ASSERT_THAT(WriteProfiles(dir.file("a"), trace), IsOk());
  EXPECT_FALSE(std::filesystem::exists(runs + "_3_wall"));
  EXPECT_TRUE(std::filesystem::exists(runs + "_4_wall/host2.xplane.pb"));
  EXPECT_FALSE(WriteProfiles("/dev/null/a", trace).ok());
  EXPECT_THAT(WriteProfiles("/dev/null/a", Trace()), IsOk());
}

// As of a generation whose host was killed while it wrote: the trace has what
// the others wrote.
TEST(ReadParts, PassOverWhatIsCutShortAndNameIt) {
  const testing::TempDir dir;
  const std::string bytes = PartOf(1).SerializeAsString();
  std::ofstream(dir.file("trace-1-1"), std::ios::binary)
      << bytes.substr(0, bytes.size() - 3);
  std::ofstream(dir.file("trace-2-1"), std::ios::binary) << bytes;
  const TraceParts parts =
      ReadParts({dir.file("trace-1-0"), dir.file("trace-1-1"),
                 dir.file("trace-2-0"), dir.file("trace-2-1")});
  ASSERT_EQ(parts.parts.size(), 1U);
  EXPECT_THAT(parts.unreadable, ElementsAre("trace-1-1"));
  const Trace trace =
      MakeTrace(parts, {}, OneKernel(), FourHosts(), ThirtyTwoCores());
  EXPECT_EQ(trace.first_step, 20);
  EXPECT_THAT(trace.notes, ElementsAre(HasSubstr("nothing of hosts 0-1"),
                                       AllOf(HasSubstr("passed over"),
                                             EndsWith(": trace-1-1"))));
}

}  // namespace
}  // namespace podsim
