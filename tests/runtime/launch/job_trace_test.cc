#include "runtime/launch/job_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "interconnect/topology/slice.h"
#include "proto/trace.pb.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::testing::HasSubstr;

TEST(WriteJobTrace, OfAJobWithoutTraceIsNothing) {
  const PlannedJob job;
  ASSERT_OK_AND_ASSIGN(const WrittenTrace written, WriteJobTrace(job, {}, {}));
  EXPECT_TRUE(written.rows.empty());
  EXPECT_FALSE(written.record.has_value());
}

// As when a host was killed while it wrote its part, and the job then ended
// well in another generation of the pod.
TEST(WriteJobTrace, APartThatIsCutShortCostsNoTrace) {
  const testing::TempDir dir;
  std::ofstream(dir.file("trace-1-0")) << "cut";
  PlannedJob job;
  job.spec.set_trace(dir.file("a.pftrace"));
  job.slice = *FindSlice("v3-8");
  job.plan.mutable_bits()->set_slice(job.slice.name);
  ASSERT_OK_AND_ASSIGN(const WrittenTrace written,
                       WriteJobTrace(job, {dir.file("trace-1-0")}, {}));
  const std::vector<TextRow>& rows = written.rows;
  EXPECT_TRUE(std::filesystem::exists(dir.file("a.pftrace")));
  ASSERT_FALSE(rows.empty());
  EXPECT_THAT(rows.back().text, HasSubstr("passed over"));
  EXPECT_THAT(rows.back().text, HasSubstr("trace-1-0"));
}

// For the metrics file: whose clock is how far off.
TEST(WriteJobTrace, KeepsClocksAndTheFilesName) {
  const testing::TempDir dir;
  TracePart part;
  part.set_process(1);
  part.set_first_host(4);
  part.set_hosts(4);
  part.set_offset_ns(-12'300);
  part.set_uncertainty_ns(40'100);
  part.set_round_trips(6);
  TraceSpan& span = *part.add_spans();
  span.set_kind(TraceSpan::STEP);
  span.set_hosts(1);
  span.set_step(20);
  span.set_begin(1000);
  span.set_end(2000);
  std::ofstream(dir.file("part")) << part.SerializeAsString();
  PlannedJob job;
  job.spec.set_trace(dir.file("a.pftrace"));
  job.slice = *FindSlice("v3-8");
  job.plan.mutable_bits()->set_slice(job.slice.name);
  ASSERT_OK_AND_ASSIGN(const WrittenTrace written,
                       WriteJobTrace(job, {dir.file("part")}, {}));
  ASSERT_TRUE(written.record.has_value());
  const auto line = nlohmann::json::parse(TraceLine(*written.record));
  EXPECT_EQ(line["event"], "trace");
  EXPECT_EQ(line["trace"], dir.file("a.pftrace"));
  EXPECT_EQ(line["first_step"], 20);
  EXPECT_GE(line["spans"], 1);
  EXPECT_EQ(line["clocks"], nlohmann::json::parse(R"([{"process": 1,
      "first_host": 4, "hosts": 4, "offset_ns": -12300,
      "uncertainty_ns": 40100, "round_trips": 6}])"));
}

}  // namespace
}  // namespace podsim
