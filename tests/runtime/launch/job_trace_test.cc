#include "runtime/launch/job_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "interconnect/topology/slice.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::testing::HasSubstr;

TEST(CheckTrace, HostsElsewhereKeepTheirPart) {
  JobSpec spec;
  EXPECT_TRUE(CheckTrace(spec, /*external_hosts=*/true).ok());
  spec.set_trace("a.pftrace");
  EXPECT_TRUE(CheckTrace(spec, /*external_hosts=*/false).ok());
  const absl::Status refused = CheckTrace(spec, /*external_hosts=*/true);
  EXPECT_EQ(refused.code(), testing::kInvalid);
  EXPECT_THAT(refused.message(), HasSubstr("--external_hosts"));
}

TEST(CheckTrace, StepsWithoutAFileAreRefused) {
  JobSpec spec;
  spec.set_trace_steps("20:25");
  EXPECT_THAT(CheckTrace(spec, false).message(), HasSubstr("--trace=FILE"));
}

TEST(WriteJobTrace, OfAJobWithoutTraceIsNothing) {
  const PlannedJob job;
  ASSERT_OK_AND_ASSIGN(const std::vector<TextRow> rows,
                       WriteJobTrace(job, {}, {}));
  EXPECT_TRUE(rows.empty());
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
  ASSERT_OK_AND_ASSIGN(const std::vector<TextRow> rows,
                       WriteJobTrace(job, {dir.file("trace-1-0")}, {}));
  EXPECT_TRUE(std::filesystem::exists(dir.file("a.pftrace")));
  ASSERT_FALSE(rows.empty());
  EXPECT_THAT(rows.back().text, HasSubstr("passed over"));
  EXPECT_THAT(rows.back().text, HasSubstr("trace-1-0"));
}

}  // namespace
}  // namespace podsim
