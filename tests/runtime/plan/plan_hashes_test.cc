// Plans are the same bits on every machine: the JSON of twenty of them has the
// hash that plans.txt keeps, whichever compiler and options built this test
// (CI's release and sanitizer builds are GCC's -O3 and clang's -O1), and
// whatever kernels and processes a run would take.
//
// After a change that is meant to move figures: paste what the test prints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/hash.h"
#include "runtime/plan/pod_plan.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

struct KeptPlan {
  std::string hash;  // the first 16 hex digits of the SHA-256
  std::string flags;
};

std::vector<KeptPlan> KeptPlans() {
  std::ifstream file(PODSIM_PLANS);
  std::vector<KeptPlan> plans;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(line, absl::MaxSplits(' ', 1));
    plans.push_back({parts.first, parts.second});
  }
  return plans;
}

std::string HashOf(const std::string& flags, const std::string& more) {
  std::vector<std::string> args = absl::StrSplit(flags, ' ');
  args.emplace_back("--json");
  if (!more.empty()) args.push_back(more);
  const PlanResult result = RunPlan(args);
  EXPECT_EQ(result.exit_code, 0) << result.error;
  return Sha256Hex(result.text).substr(0, 16);
}

TEST(PlanHashesTest, TwentyPlansHaveTheBitsThatAreKept) {
  const std::vector<KeptPlan> plans = KeptPlans();
  EXPECT_EQ(plans.size(), 20u);
  std::string now;
  for (const KeptPlan& plan : plans)
    absl::StrAppend(&now, HashOf(plan.flags, ""), " ", plan.flags, "\n");
  std::string kept;
  for (const KeptPlan& plan : plans)
    absl::StrAppend(&kept, plan.hash, " ", plan.flags, "\n");
  EXPECT_EQ(now, kept);
}

// A job's file says what pod_plan has no flag for.
TEST(PlanHashesTest, KernelsAndProcessesChangeNoBit) {
  const testing::TempDir folder;
  for (const char* line : {"isa: v2", "processes: 1"}) {
    const std::string file = folder.path() + "/run.job";
    std::ofstream(file) << line << "\n";
    for (const KeptPlan& plan : KeptPlans())
      if (plan.flags.find("--collective") == std::string::npos)
        EXPECT_EQ(HashOf(plan.flags, "--job=" + file), plan.hash)
            << line << " " << plan.flags;
  }
}

}  // namespace
}  // namespace podsim
