// Plans for a program of the caller's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/graph/compile.h"
#include "models/zoo/zoo.h"
#include "runtime/job/planner.h"
#include "tests/runtime/job/job_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::Digits;
using ::podsim::testing::Inputs;
using ::podsim::testing::kInvalid;
using ::podsim::testing::Spec;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(PlanOwnProgramTest, TakesAProgramOfTheCallers) {
  ModelConfig config;
  config.set_name("mlp");
  config.add_hidden(32);
  config.add_example_shape(8);
  config.add_example_shape(8);
  config.set_classes(10);
  ASSERT_OK_AND_ASSIGN(
      Program program,
      BuildProgram(config, {.bfloat16_products = false,
                            .rule_settings = {.momentum = 0.9}}));
  program.name = "mine";
  DatasetConfig data = Digits();
  data.set_name("my data");
  const JobSpec spec = Spec(
      "topology: 'v3-32' dataset: 'my data' batch_per_core: 4 train_steps: 30 "
      "learning_rate: 0.05 momentum: 0.9");
  ASSERT_OK_AND_ASSIGN(const JobPlan plan,
                       PlanJob(spec, program, Inputs(data)));
  EXPECT_EQ(plan.bits().model().name(), "mine");
  EXPECT_EQ(plan.bits().precision(), "float32");
  EXPECT_EQ(plan.train_steps(), 30);
  EXPECT_DOUBLE_EQ(plan.bits().learning_rate().peak(), 0.05);
  EXPECT_EQ(plan.bits().learning_rate().warmup_examples(), 0);
  EXPECT_EQ(plan.bits().buckets_size(), program.buckets.size());
  EXPECT_EQ(plan.spec().processes(), 4);
  EXPECT_EQ(plan.hash(), HashOf(plan.bits()));
}

// Ignored, each of these was a trap: a job that saves nothing, and says
// nothing.
TEST(PlanOwnProgramTest, RefusesWhatAPodInOneProcessDoesNotDo) {
  const Program program;
  const std::string full =
      "topology: 'v3-8' dataset: 'digits' batch_per_core: 8 train_steps: 3 "
      "learning_rate: 0.05 ";
  const std::pair<const char*, const char*> refused[] = {
      {"model_dir: 'm'", "PodResult.variables"},
      {"restore: 'm/3'", "PodSetup.start"},
      {"checkpoint_every: 1", "saves no checkpoints"},
      {"keep: 0", "saves no checkpoints"},
      {"max_restarts: 1", "pod_launch does"},
      {"mode: eval", "pod_launch does"},
      {"metrics_file: 'm.jsonl'", "PodSetup.on_step"},
      {"tensorboard_dir: 'tb'", "PodSetup.on_step"},
      {"log_dir: 'logs'", "PodSetup.on_step"},
      {"weights_check_every: 10", "pod_launch does"},
      {"audit_every: 10", "pod_launch does"},
      {"on_corruption: stop", "pod_launch does"},
      {"faults { faults { kind: KILL host: 0 step: 1 } }", "pod_launch does"},
      {"heartbeat_timeout: 9", "pod_launch does"},
      {"threads: 2", "PodSetup.threads_per_process"},
      {"transport: tcp", "frames stay in the process"},
      {"data_dir: '/data'", "PodSetup.dataset"},
      {"model: 'mlp'", "the program is the caller's"},
      {"hidden: 64", "the program is the caller's"},
      {"optimizer: adam", "CompileOptions.rule"},
      {"clip_norm: 1", "CompileOptions.rule"},
      {"restore_weights_only: true", "saves no checkpoints"},
      {"bucket_bytes: 4096", "CompileOptions.bucket_bytes"}};
  for (const auto& [setting, instead] : refused) {
    const std::string text = setting;
    const std::string name = text.substr(0, text.find_first_of(": "));
    EXPECT_THAT(
        PlanJob(Spec(full + text), program, Inputs(Digits())),
        StatusIs(kInvalid, AllOf(HasSubstr(name + " is set for a program"),
                                 HasSubstr(instead))))
        << setting;
  }
  EXPECT_THAT(
      PlanJob(Spec(full + "precision: float32"), program, Inputs(Digits())),
      StatusIs(kInvalid, HasSubstr("precision is float32, the program "
                                   "was compiled for bfloat16")));
}

TEST(PlanOwnProgramTest, RefusesASliceThatOnlyPlans) {
  EXPECT_THAT(PlanJob(Spec("topology: 'v6e-1' dataset: 'digits' "
                           "batch_per_core: 8 train_steps: 3 "
                           "learning_rate: 0.05"),
                      Program(), Inputs(Digits())),
              StatusIs(kInvalid, HasSubstr("topology: ")));
}

TEST(PlanOwnProgramTest, RefusesAnInputThatTheDataSetDoesNotOffer) {
  const std::string text =
      "topology: 'v3-8' dataset: 'digits' batch_per_core: 8 train_steps: 3 "
      "learning_rate: 0.05 ";
  const auto planned = [&](const char* name, DType dtype, const Shape& shape) {
    Graph g("masked");
    g.Features({{8, 8}});
    g.Input(name, dtype, shape);
    const auto program = Compile(g, {}, {});
    PODSIM_CHECK(program.ok());
    return PlanJob(Spec(text), *program, Inputs(Digits())).status();
  };
  EXPECT_THAT(
      planned("mask", DType::kUint8, {{64}}),
      StatusIs(kInvalid,
               HasSubstr("model masked reads input mask (uint8 [B, 64]), but "
                         "data set digits offers features (float32 [B, 8, "
                         "8]), labels (int32 [B])")));
  EXPECT_THAT(planned("labels", DType::kUint8, {}),
              StatusIs(kInvalid, HasSubstr("labels (uint8 [B])")));
}

TEST(PlanOwnProgramTest, NamesWhatIsMissing) {
  const Program program;
  const JobSpec full = Spec(
      "topology: 'v3-8' dataset: 'digits' batch_per_core: 8 train_steps: 3 "
      "learning_rate: 0.05");
  for (const char* field : {"topology", "dataset", "batch_per_core",
                            "train_steps", "learning_rate"}) {
    JobSpec spec = full;
    spec.GetReflection()->ClearField(
        &spec, JobSpec::descriptor()->FindFieldByName(field));
    EXPECT_THAT(PlanJob(spec, program, Inputs(Digits())),
                StatusIs(kInvalid, HasSubstr(field)));
  }
}

}  // namespace
}  // namespace podsim
