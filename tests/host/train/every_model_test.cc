// Every named model on pods: what may decide a bit and what may not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "models/zoo/zoo.h"
#include "tests/host/train/test_plan.h"
#include "tests/job/set_metric.h"
#include "tests/testing/run_count.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

constexpr int kModelBatch = 128;

// The same 128 examples a step on slices of 8 to 128 cores; the encoder drops.
PlanShape ShapeOfModel(const std::string& model, int hosts) {
  PlanShape shape = {.hosts = hosts,
                     .cores_per_host = 8,
                     .batch_per_core = kModelBatch / 8 / hosts,
                     .processes = std::min(hosts, 4),
                     .steps = 3,
                     .precision = "bfloat16",
                     .model = model,
                     .hidden = {}};
  if (model == "encoder") shape.dropout = 0.2;
  if (model == "mlp") shape.hidden = {48, 20};
  return shape;
}

PodSetup EveryModelSetup(const std::string& model, int hosts) {
  PodSetup setup = MakeSetup(ShapeOfModel(model, hosts));
  PlanBits& bits = *setup.plan.mutable_bits();
  bits.set_reduction("tree");
  bits.set_microbatch_size(1);
  for (Bucket& bucket : *bits.mutable_buckets())
    bucket.set_algorithm("halving_doubling");
  return setup;
}

class EveryModel : public ::testing::TestWithParam<std::string> {
 protected:
  const std::string& model() const { return GetParam(); }
};

TEST_P(EveryModel, PackingAndThreadsDecideNothing) {
  PlanShape shape = ShapeOfModel(model(), 4);
  std::string hash;
  const std::vector<int> packings =
      kSanitized ? std::vector{4, 1} : std::vector{4, 2, 1};
  const std::vector<int> thread_counts =
      kSanitized ? std::vector{3} : std::vector{1, 3};
  for (const int processes : packings)
    for (const int threads : thread_counts) {
      shape.processes = processes;
      PodSetup setup = MakeSetup(shape);
      setup.threads_per_process = threads;
      ASSERT_OK_AND_ASSIGN(const PodResult result, TrainInProcess(setup));
      if (hash.empty()) hash = result.weights_hash;
      EXPECT_EQ(result.weights_hash, hash)
          << processes << " processes, " << threads << " threads";
    }
}

// A model that mixes a core's examples has no microbatches.
TEST_P(EveryModel, BySumsInATreeEverySliceGivesTheSameWeights) {
  if (EveryModelSetup(model(), 1).program->mixes_in_training) {
    EXPECT_THAT(TrainInProcess(EveryModelSetup(model(), 1)),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         ::testing::HasSubstr("mixes")));
    return;
  }
  std::string hash;
  const std::vector<int> all =
      kSanitized ? std::vector{1, 4} : std::vector{1, 4, 16};
  for (const int hosts : all) {
    ASSERT_OK_AND_ASSIGN(const PodResult result,
                         TrainInProcess(EveryModelSetup(model(), hosts)));
    if (hash.empty()) hash = result.weights_hash;
    EXPECT_EQ(result.weights_hash, hash) << hosts << " hosts";
  }
}

// From the weights that one half of the steps leaves.
TEST_P(EveryModel, AResumeGoesOnAsIfNothingHadHappened) {
  PlanShape shape = ShapeOfModel(model(), 2);
  shape.steps = 4;
  PodSetup setup = MakeSetup(shape);
  ASSERT_OK_AND_ASSIGN(const PodResult whole, TrainInProcess(setup));
  setup.plan.set_train_steps(2);
  ASSERT_OK_AND_ASSIGN(const PodResult half, TrainInProcess(setup));
  EXPECT_NE(half.weights_hash, whole.weights_hash);
  setup.plan.set_train_steps(4);
  setup.start = {.step = 2,
                 .examples_consumed = std::int64_t{2} * kModelBatch,
                 .variables = half.variables};
  ASSERT_OK_AND_ASSIGN(const PodResult rest, TrainInProcess(setup));
  EXPECT_EQ(rest.weights_hash, whole.weights_hash);
}

// One step in float32 of rate 1, on 32 cores and on one: sums of the same 128
// gradients, rounded in another order. |g - g'| <= 128 * 2^-24 * 2 sum |g_i| by
// Higham's bound for either; the sum of magnitudes is that of a mean, taken as
// below 128 (it is below 2 in all models).
TEST_P(EveryModel, ManyCoresAreOne) {
  PlanShape shape = ShapeOfModel(model(), 4);
  shape.precision = "float32";
  shape.steps = 1;
  shape.learning_rate = 1;
  shape.momentum = 0;
  shape.dropout = 0;
  const PodSetup pod = MakeSetup(shape);
  if (pod.program->mixes_in_training) return;  // its cores do not see the rest
  shape.hosts = shape.processes = shape.cores_per_host = 1;
  shape.batch_per_core = kModelBatch;
  const PodSetup single = MakeSetup(shape);
  ASSERT_OK_AND_ASSIGN(const PodResult of_pod, TrainInProcess(pod));
  ASSERT_OK_AND_ASSIGN(const PodResult of_one, TrainInProcess(single));
  const double bound = 2 * 128 * 0x1p-24 * 2;
  double differ = 0;
  ASSERT_EQ(of_pod.variables.size(), of_one.variables.size());
  for (std::size_t i = 0; i < of_one.variables.size(); ++i)
    differ = std::max(
        differ, std::fabs(double{of_pod.variables[i]} - of_one.variables[i]));
  EXPECT_LE(differ, bound);
  EXPECT_NEAR(LossOf(of_pod.steps[0]), LossOf(of_one.steps[0]), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Models, EveryModel,
                         ::testing::ValuesIn(TrainedModelNames()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace podsim::testing
