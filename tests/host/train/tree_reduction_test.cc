// Microbatches summed in one tree: the slice decides no bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>

#include "host/process/in_process_pod.h"
#include "tests/host/train/test_plan.h"
#include "tests/job/set_metric.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int kTreeBatch = 512;

// The same 512 examples a step on slices of 8 to 128 cores.
PodSetup ReductionSetup(int hosts, const std::string& precision,
                        int microbatch = 4) {
  PodSetup setup = MakeSetup({.hosts = hosts,
                              .batch_per_core = kTreeBatch / 8 / hosts,
                              .processes = std::min(hosts, 4),
                              .steps = 4,
                              .precision = precision,
                              .hidden = {48, 20}});
  PlanBits& bits = *setup.plan.mutable_bits();
  bits.set_reduction("tree");
  bits.set_microbatch_size(microbatch);
  for (Bucket& bucket : *bits.mutable_buckets())
    bucket.set_algorithm("halving_doubling");
  return setup;
}

class TreeReductionTest : public ::testing::TestWithParam<std::string> {};

TEST_P(TreeReductionTest, EverySliceGivesTheSameWeights) {
  std::string hash;
  for (const int hosts : {1, 2, 4, 16}) {
    ASSERT_OK_AND_ASSIGN(const PodResult result,
                         TrainInProcess(ReductionSetup(hosts, GetParam())));
    if (hash.empty()) hash = result.weights_hash;
    EXPECT_EQ(result.weights_hash, hash) << hosts << " hosts";
    EXPECT_EQ(result.steps.back().examples(), kTreeBatch);
  }
}

TEST_P(TreeReductionTest, ThreadsDecideNothing) {
  PodSetup setup = ReductionSetup(2, GetParam());
  ASSERT_OK_AND_ASSIGN(const PodResult one, TrainInProcess(setup));
  setup.threads_per_process = 3;
  ASSERT_OK_AND_ASSIGN(const PodResult three, TrainInProcess(setup));
  EXPECT_EQ(one.weights_hash, three.weights_hash);
}

INSTANTIATE_TEST_SUITE_P(Precisions, TreeReductionTest,
                         ::testing::Values("float32", "bfloat16"));

TEST(TreeReduction, FusedSumsDependOnTheSlice) {
  std::string hashes[2];
  for (const int i : {0, 1}) {
    PodSetup setup = ReductionSetup(i == 0 ? 1 : 16, "float32");
    setup.plan.mutable_bits()->set_microbatch_size(0);
    ASSERT_OK_AND_ASSIGN(const PodResult result, TrainInProcess(setup));
    hashes[i] = result.weights_hash;
  }
  EXPECT_NE(hashes[0], hashes[1]) << "then the tree would prove nothing";
}

// Both are sums of the same 512 gradients, rounded in another order.
TEST(TreeReduction, AgreesWithFusedSums) {
  PodSetup setup = ReductionSetup(4, "float32");
  setup.plan.set_train_steps(1);
  ASSERT_OK_AND_ASSIGN(const PodResult tree, TrainInProcess(setup));
  setup.plan.mutable_bits()->set_microbatch_size(0);
  ASSERT_OK_AND_ASSIGN(const PodResult fused, TrainInProcess(setup));
  ASSERT_EQ(tree.variables.size(), fused.variables.size());
  // One step of rate 0.05 over a mean of gradients whose terms are below 16: an
  // error of at most 512 roundings of a partial sum.
  const float bound = 0.05F * 16 * 512 * 0x1p-24F;
  for (std::size_t i = 0; i < tree.variables.size(); ++i)
    ASSERT_NEAR(tree.variables[i], fused.variables[i], bound) << i;
  EXPECT_NEAR(LossOf(tree.steps[0]), LossOf(fused.steps[0]), 1e-5);
}

TEST(TreeReduction, NamesTheCoreOfALossThatIsNotFinite) {
  PodSetup setup = ReductionSetup(2, "float32");
  setup.plan.set_train_steps(50);
  setup.plan.mutable_bits()->mutable_learning_rate()->set_peak(1e30);
  EXPECT_THAT(TrainInProcess(setup),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("loss became"), HasSubstr("on core"),
                             HasSubstr("lower --learning_rate"))));
}

// No update has had an effect at step 1: no learning rate is to blame.
TEST(TreeReduction, AdvisesNoLearningRateForTheInitialWeights) {
  PodSetup setup = ReductionSetup(1, "float32");
  setup.start.variables.assign(
      static_cast<std::size_t>(setup.program->variable_elements),
      std::numeric_limits<float>::quiet_NaN());
  EXPECT_THAT(
      TrainInProcess(setup),
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(HasSubstr("loss is nan at step 1 on core 0 (host 0) with "
                               "the initial weights"),
                     HasSubstr("; first not finite: the variable "),
                     HasSubstr(" holds nan"),
                     ::testing::Not(HasSubstr("learning_rate")))));
}

TEST(TreeReduction, RefusesAPlanWhoseMicrobatchesDoNotFit) {
  EXPECT_THAT(TrainInProcess(ReductionSetup(2, "float32", /*microbatch=*/3)),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("microbatches of 3 rows")));
}

}  // namespace
}  // namespace podsim::testing
