// --batch_per_core=max: how it is asked for, and what it comes to.
#include "runtime/plan/largest_batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/plan/ladder.h"
#include "runtime/plan/ladder_table.h"
#include "runtime/plan/slice_list.h"
#include "tests/runtime/job/job_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::Inputs;
using ::podsim::testing::kInvalid;
using ::podsim::testing::Spec;
using ::podsim::testing::StatusIs;
using ::podsim::testing::Synthetic;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(LargestBatchTest, IsTakenOutOfTheCommandLine) {
  for (const std::vector<std::string>& asked :
       std::vector<std::vector<std::string>>{
           {"--model=mlp", "--batch_per_core=max", "--json"},
           {"--model=mlp", "--batch-per-core", "max", "--json"}}) {
    const AskedBatch batch = TakeLargestBatch(asked);
    EXPECT_TRUE(batch.largest);
    EXPECT_THAT(batch.args, ElementsAre("--model=mlp", "--json"));
  }
  for (const std::vector<std::string>& other :
       std::vector<std::vector<std::string>>{{"--batch_per_core=8", "max"},
                                             {"--batch_per_core", "8", "max"},
                                             {"--batch_per_core"},
                                             {"--model", "max"},
                                             {"--batch_per_core=maximum"}}) {
    const AskedBatch batch = TakeLargestBatch(other);
    EXPECT_FALSE(batch.largest);
    EXPECT_EQ(batch.args, other);
  }
}

TEST(LargestBatchTest, IsAMultipleOfEight) {
  EXPECT_EQ(RoundedBatch(0), 1);
  EXPECT_EQ(RoundedBatch(1), 1);
  EXPECT_EQ(RoundedBatch(7), 7);
  EXPECT_EQ(RoundedBatch(8), 8);
  EXPECT_EQ(RoundedBatch(15), 8);
  EXPECT_EQ(RoundedBatch(1003), 1000);
}

TEST(LargestBatchTest, GoesWithNoOtherBatch) {
  EXPECT_THAT(CheckLargestBatch(Spec("model: 'mlp'")), testing::IsOk());
  for (const char* job :
       {"batch_per_core: 8", "train_batch_size: 64",
        "reduction: tree microbatch_size: 16", "microbatch_size: 16"})
    EXPECT_THAT(CheckLargestBatch(Spec(job)),
                StatusIs(kInvalid, HasSubstr("batch_per_core")));
}

TEST(LargestBatchTest, FillsTheHbmOfEachSlice) {
  const JobSpec spec = Spec("dataset: 'synthetic' hidden: [4096, 4096]");
  ASSERT_OK_AND_ASSIGN(const Ladder ladder,
                       PlanLadder(spec, Inputs(Synthetic()),
                                  *SlicesNamed({"v3-8", "v3-32", "v4-8"}, {}),
                                  LadderBatch::kLargest));
  EXPECT_TRUE(ladder.largest_batch);
  for (const LadderRow& row : ladder.rows) {
    ASSERT_THAT(row.status, testing::IsOk()) << row.slice.name;
    const std::int64_t batch = row.plan.bits().batch_per_core();
    const std::int64_t largest = row.plan.core_memory().largest_batch();
    EXPECT_EQ(batch % 8, 0);
    EXPECT_LE(batch, largest);
    EXPECT_GT(batch + 8, largest);
    EXPECT_EQ(row.forecast.recomputed_flops, 0);
  }
  // A chip of v4 has twice the HBM of a core of v3.
  EXPECT_EQ(ladder.rows[0].plan.bits().batch_per_core(),
            ladder.rows[1].plan.bits().batch_per_core());
  EXPECT_GT(ladder.rows[2].plan.bits().batch_per_core(),
            ladder.rows[0].plan.bits().batch_per_core());
  EXPECT_THAT(FormatLadder(ladder, {}, 200),
              HasSubstr("on every slice the largest batch per core (v2, v3) or "
                        "chip that fits HBM"));
}

}  // namespace
}  // namespace podsim
