// What a tree reduction freezes in the plan, and what it refuses.
#include "runtime/job/reduction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/job/planner.h"
#include "tests/runtime/job/job_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::Digits;
using ::podsim::testing::Inputs;
using ::podsim::testing::IsOk;
using ::podsim::testing::kInvalid;
using ::podsim::testing::Spec;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::StatusOr<JobPlan> PlanReduction(const std::string& text) {
  return PlanJob(Spec(text), Inputs(Digits()));
}

TEST(ReductionTest, ATreeFreezesItsOrderAndMicrobatch) {
  ASSERT_OK_AND_ASSIGN(
      const JobPlan plan,
      PlanReduction("topology: 'v3-32' batch_per_core: 16 reduction: tree "
                    "microbatch_size: 4"));
  const PlanBits& bits = plan.bits();
  EXPECT_EQ(bits.reduction(), "tree");
  EXPECT_EQ(bits.microbatch_size(), 4);
  EXPECT_EQ(MicrobatchesPerCore(bits), 4);
  EXPECT_THAT(bits.ring(), ElementsAre(0, 1, 2, 3));  // by rank
  EXPECT_EQ(bits.algorithm(), "halving_doubling");
  EXPECT_THAT(plan.notes(), Contains(HasSubstr("32 small products")));
}

TEST(ReductionTest, WithoutATreeThereAreNoMicrobatches) {
  ASSERT_OK_AND_ASSIGN(const JobPlan plan, PlanReduction("topology: 'v3-32'"));
  EXPECT_EQ(plan.bits().reduction(), "fused");
  EXPECT_EQ(plan.bits().microbatch_size(), 0);
  EXPECT_EQ(MicrobatchesPerCore(plan.bits()), 0);
}

struct Refusal {
  const char* text;
  const char* given;
  const char* allowed;
};

class RefusalTest : public ::testing::TestWithParam<Refusal> {};

TEST_P(RefusalTest, SaysWhatWasGivenAndWhatIsAllowed) {
  EXPECT_THAT(
      PlanReduction(std::string("topology: 'v3-32' batch_per_core: 12 ") +
                    GetParam().text),
      StatusIs(kInvalid, AllOf(HasSubstr(GetParam().given),
                               HasSubstr(GetParam().allowed))));
}

INSTANTIATE_TEST_SUITE_P(
    Jobs, RefusalTest,
    ::testing::Values(
        Refusal{"reduction: tree", "microbatch_size is not given",
                "give --microbatch_size=12, 6 or 3"},
        Refusal{"reduction: tree microbatch_size: 5", "microbatch_size is 5",
                "power of two"},
        Refusal{"reduction: tree microbatch_size: 4", "microbatch_size is 4",
                "power of two"},
        Refusal{"reduction: tree microbatch_size: 24", "microbatch_size is 24",
                "power of two"},
        Refusal{"reduction: tree microbatch_size: 3 algo: ring", "algo is ring",
                "halving_doubling"},
        Refusal{"reduction: tree microbatch_size: 3 wire_dtype: bfloat16",
                "wire_dtype is bfloat16", "float32"},
        Refusal{"microbatch_size: 3", "reduction is fused",
                "give --reduction=tree"},
        Refusal{"reduction: 2", "reduction is 2", "fused, tree"}));

TEST(ReductionTest, ItsOwnAlgorithmMayBeNamed) {
  EXPECT_THAT(
      PlanReduction("batch_per_core: 12 reduction: tree microbatch_size: 3 "
                    "algo: halving_doubling"),
      IsOk());
}

}  // namespace
}  // namespace podsim
