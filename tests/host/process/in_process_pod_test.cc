// A whole pod over the in-process network: same plan, same bits, whatever the
// packing; clean ends.
#include "host/process/in_process_pod.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/host/train/test_plan.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(InProcessPodTest, PackingDoesNotChangeBits) {
  std::string hash;
  for (const int processes : {1, 2, 4})
    for (const int threads : {1, 2}) {
      PodSetup setup = MakeSetup({.processes = processes, .steps = 4});
      setup.threads_per_process = threads;
      ASSERT_OK_AND_ASSIGN(const PodResult result, TrainInProcess(setup));
      if (hash.empty()) hash = result.weights_hash;
      EXPECT_EQ(result.weights_hash, hash)
          << processes << " processes, " << threads << " threads";
    }
}

TEST(InProcessPodTest, BfloatPackingDoesNotChangeBits) {
  std::string hash;
  for (const int processes : {1, 3, 6}) {
    const PodSetup setup = MakeSetup({.hosts = 6,
                                      .batch_per_core = 3,
                                      .processes = processes,
                                      .precision = "bfloat16",
                                      .hidden = {48, 20}});
    ASSERT_OK_AND_ASSIGN(const PodResult result, TrainInProcess(setup));
    if (hash.empty()) hash = result.weights_hash;
    EXPECT_EQ(result.weights_hash, hash);
  }
}

TEST(InProcessPodTest, LearnsAndEvaluatesEachHeldOutExampleOnce) {
  const PodSetup setup =
      MakeSetup({.hosts = 2, .batch_per_core = 4, .processes = 2, .steps = 60});
  ASSERT_OK_AND_ASSIGN(const PodResult result, TrainInProcess(setup));
  ASSERT_EQ(result.steps.size(), 60u);
  EXPECT_LT(result.steps.back().loss(), 0.5 * result.steps.front().loss());
  ASSERT_EQ(result.evaluations.size(), 1u);
  // 299 is no multiple of the evaluation batch: the last one is partial.
  EXPECT_EQ(result.evaluations[0].examples(),
            setup.dataset->size(Split::kEval));
  EXPECT_GT(result.evaluations[0].correct(), 200);
}

TEST(InProcessPodTest, ResumesWhereItStopped) {
  PodSetup whole = MakeSetup({.steps = 6});
  ASSERT_OK_AND_ASSIGN(const PodResult expected, TrainInProcess(whole));
  PodSetup half = MakeSetup({.steps = 3});
  ASSERT_OK_AND_ASSIGN(const PodResult first, TrainInProcess(half));
  half.start = {.examples_consumed = 3 * half.plan.global_batch(),
                .variables = first.variables};
  ASSERT_OK_AND_ASSIGN(const PodResult second, TrainInProcess(half));
  EXPECT_EQ(second.weights_hash, expected.weights_hash);
}

TEST(InProcessPodTest, ALossThatIsNotFiniteNamesStepAndCore) {
  const PodSetup setup = MakeSetup({.steps = 50, .learning_rate = 1e30});
  const auto result = TrainInProcess(setup);
  EXPECT_THAT(result,
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("loss became"), HasSubstr("at step"),
                             HasSubstr("on core"))));
}

TEST(InProcessPodTest, RefusesAPlanThatTakesACoordinator) {
  const std::pair<const char*, void (*)(JobPlan&)> wanted[] = {
      {"model_dir",
       [](JobPlan& plan) { plan.mutable_spec()->set_model_dir("m"); }},
      {"bench", [](JobPlan& plan) { plan.mutable_spec()->mutable_bench(); }},
      {"faults", [](JobPlan& plan) { plan.add_faults(); }},
      {"audit_every",
       [](JobPlan& plan) { plan.mutable_spec()->set_audit_every(2); }},
      {"on_corruption", [](JobPlan& plan) {
         plan.mutable_spec()->set_on_corruption(words::OnCorruption::restore);
       }}};
  for (const auto& [setting, want] : wanted) {
    PodSetup setup = MakeSetup({});
    want(setup.plan);
    EXPECT_THAT(TrainInProcess(setup),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr(setting), HasSubstr("pod_launch"))));
  }
}

TEST(InProcessPodTest, RefusesASetupThatIsNotWhole) {
  PodSetup setup = MakeSetup({});
  setup.kernels = nullptr;
  EXPECT_THAT(TrainInProcess(setup),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("lacks its program, dataset or kernels")));
  setup = MakeSetup({});
  setup.threads_per_process = 0;
  EXPECT_THAT(TrainInProcess(setup),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("threads_per_process is 0")));
  setup = MakeSetup({});
  setup.plan.mutable_bits()->set_isa("v9");
  EXPECT_THAT(TrainInProcess(setup),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("the plan is for isa v9")));
}

TEST(InProcessPodTest, RefusesAPlanOfAnotherModel) {
  PodSetup setup = MakeSetup({});
  setup.plan.mutable_bits()->mutable_buckets(0)->set_count(7);
  EXPECT_THAT(
      TrainInProcess(setup),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("another build")));
  setup = MakeSetup({});
  setup.start.variables.resize(3);
  EXPECT_THAT(
      TrainInProcess(setup),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("3 values")));
}

}  // namespace
}  // namespace podsim::testing
