#include "runtime/launch/job_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/testing/status_matchers.h"

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

}  // namespace
}  // namespace podsim
