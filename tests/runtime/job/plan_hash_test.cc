// What decides a plan's hash.
#include <gtest/gtest.h>

#include "runtime/job/planner.h"
#include "tests/runtime/job/job_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::Digits;
using ::podsim::testing::Inputs;
using ::podsim::testing::Mnist;
using ::podsim::testing::PlanOf;
using ::podsim::testing::Spec;
using ::podsim::testing::Synthetic;

struct HashCase {
  const char* change;
  bool same;
};

class HashTest : public ::testing::TestWithParam<HashCase> {};

TEST_P(HashTest, CoversWhatDecidesBitsAndNothingElse) {
  const std::string base =
      "train_steps: 7 reference_batch_size: 64 batch_per_core: 8 "
      "warmup_steps: 2 ";
  ASSERT_OK_AND_ASSIGN(const JobPlan plan, PlanOf(base));
  EXPECT_EQ(plan.hash(), HashOf(plan.bits()));
  EXPECT_EQ(plan.hash().size(), 64);
  const JobSpec changed = MergeSpecs(Spec(base), Spec(GetParam().change));
  ASSERT_OK_AND_ASSIGN(
      const JobPlan other,
      PlanJob(changed, Inputs(changed.dataset() == "synthetic" ? Synthetic()
                                                               : Digits())));
  EXPECT_EQ(plan.hash() == other.hash(), GetParam().same);
}

INSTANTIATE_TEST_SUITE_P(
    All, HashTest,
    ::testing::Values(
        HashCase{"processes: 2", true}, HashCase{"threads: 3", true},
        HashCase{"transport: tcp", true}, HashCase{"chunk_bytes: 1024", true},
        HashCase{"train_steps: 9", true}, HashCase{"epochs: 2", true},
        HashCase{"eval_batch_size: 64", true},
        HashCase{"steps_per_eval: 2", true}, HashCase{"wrap: torus", true},
        HashCase{"stall_timeout: 77", true}, HashCase{"log_dir: 'x'", true},
        HashCase{"metrics_file: 'x'", true},
        HashCase{"tensorboard_dir: ''", true},
        HashCase{"topology: 'V3-32'", true},
        HashCase{"train_batch_size: 256", true},  // the same batch
        HashCase{"isa: v3", true}, HashCase{"isa: v2", false},
        HashCase{"seed: 1", false}, HashCase{"precision: float32", false},
        HashCase{"topology: 'v3-8'", false}, HashCase{"hidden: 64", false},
        HashCase{"batch_per_core: 16", false},
        HashCase{"learning_rate: 0.01", false},
        HashCase{"momentum: 0.5", false}, HashCase{"warmup_steps: 3", false},
        HashCase{"bucket_bytes: 1024", false}, HashCase{"algo: torus2d", false},
        // What ships for so few bytes; more ranks than that; another.
        HashCase{"choices { collective: 'all_reduce' "
                 "algorithm: 'halving_doubling' }",
                 true},
        HashCase{"choices { collective: 'all_reduce' most_ranks: 3 "
                 "algorithm: 'direct' }",
                 true},
        HashCase{"choices { collective: 'all_reduce' algorithm: 'direct' }",
                 false},
        HashCase{"wire_dtype: bfloat16", false},
        HashCase{"dataset: 'synthetic'", false}));

// A warm-up of the recipe's is a share of the run, so its length counts.
TEST(HashTest, TheLengthDecidesARecipesWarmUp) {
  ASSERT_OK_AND_ASSIGN(const JobPlan seven, PlanOf("train_steps: 70"));
  ASSERT_OK_AND_ASSIGN(const JobPlan nine, PlanOf("train_steps: 90"));
  EXPECT_NE(seven.hash(), nine.hash());
}

// The files' fingerprint counts, not where they are.
TEST(HashTest, TheDirectoryOfTheDataDoesNotCount) {
  const std::string job = "dataset: 'mnist' data_dir: ";
  ASSERT_OK_AND_ASSIGN(const JobPlan here,
                       PlanJob(Spec(job + "'x'"), Inputs(Mnist())));
  ASSERT_OK_AND_ASSIGN(const JobPlan there,
                       PlanJob(Spec(job + "'y'"), Inputs(Mnist())));
  EXPECT_EQ(here.hash(), there.hash());
}

TEST(HashTest, EveryFieldOfBitsCounts) {
  ASSERT_OK_AND_ASSIGN(const JobPlan plan, PlanOf(""));
  const auto* descriptor = PlanBits::descriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    PlanBits bits = plan.bits();
    bits.GetReflection()->ClearField(&bits, descriptor->field(i));
    const bool was_set = bits.ByteSizeLong() != plan.bits().ByteSizeLong();
    EXPECT_EQ(HashOf(bits) != plan.hash(), was_set)
        << descriptor->field(i)->name();
  }
}

}  // namespace
}  // namespace podsim
