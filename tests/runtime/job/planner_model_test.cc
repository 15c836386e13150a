// Plans carry the Program of their model, which has a name or is of a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "job/hbm.h"
#include "job/plan_program.h"
#include "job/plan_warning.h"
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
using ::podsim::testing::PlanOf;
using ::podsim::testing::Spec;
using ::podsim::testing::StatusIs;
using ::testing::HasSubstr;

constexpr auto kLoss = absl::StatusCode::kDataLoss;

constexpr char kTyped[] =
    "dataset: 'digits' batch_per_core: 8 train_steps: 20 learning_rate: 0.05 ";

std::shared_ptr<const ModelProto> Network(int side) {
  ModelConfig config;
  config.set_name("mlp");
  config.add_hidden(16);
  config.add_example_shape(side);
  config.add_example_shape(side);
  config.set_classes(10);
  const auto model = BuildModel(config);
  PODSIM_CHECK(model.ok());
  return std::make_shared<const ModelProto>(*model);
}

PlanInputs InputsWith(std::shared_ptr<const ModelProto> model) {
  PlanInputs inputs = Inputs(Digits());
  inputs.model = std::move(model);
  return inputs;
}

TEST(PlannedProgramTest, IsTheModelsAndHashed) {
  ASSERT_OK_AND_ASSIGN(const JobPlan plan, PlanOf("hidden: [16]"));
  ASSERT_OK_AND_ASSIGN(const ModelProto model, BuildModel(plan.bits().model()));
  EXPECT_EQ(plan.bits().model_hash(), ModelHash(model));
  ASSERT_OK_AND_ASSIGN(const Program compiled,
                       CompileModel(model, OptionsOf(plan.bits())));
  ASSERT_OK_AND_ASSIGN(const Program carried, ProgramOf(plan));
  EXPECT_EQ(ToText(carried), ToText(compiled));
}

TEST(PlannedProgramTest, AnotherOneIsRefused) {
  ASSERT_OK_AND_ASSIGN(JobPlan plan, PlanOf(""));
  ASSERT_OK_AND_ASSIGN(const JobPlan other, PlanOf("hidden: [16]"));
  plan.set_program(other.program());
  EXPECT_THAT(ProgramOf(plan), StatusIs(kLoss, HasSubstr("the plan says")));
  plan.clear_program();
  EXPECT_THAT(ProgramOf(plan), StatusIs(kLoss, HasSubstr("no Program")));
}

TEST(ModelFilePlanTest, HasTheProgramOfTheNamedModel) {
  ASSERT_OK_AND_ASSIGN(
      const JobPlan named,
      PlanOf(std::string(kTyped) + "model: 'mlp' hidden: [16] momentum: 0.9"));
  ASSERT_OK_AND_ASSIGN(
      const JobPlan file,
      PlanJob(Spec(std::string(kTyped) + "model_file: 'f' momentum: 0.9"),
              InputsWith(Network(8))));
  EXPECT_EQ(file.bits().model_hash(), named.bits().model_hash());
  EXPECT_EQ(file.bits().program_hash(), named.bits().program_hash());
  EXPECT_EQ(file.bits().model().name(), "mlp");
  EXPECT_EQ(file.recipe_accuracy(), 0);
  EXPECT_EQ(file.from_recipe_size(), 0);
}

// On a v5e attention is planned as a kernel of its own, and that is said unless
// somebody asked for it; on a v3 as the model is written.
TEST(ModelFilePlanTest, AttentionThatIsPlannedOtherwiseThanWrittenIsAWarning) {
  const auto warnings = [](const char* more) {
    const auto plan = PlanOf(absl::StrCat(
        "model: 'encoder' batch_per_core: 8 train_steps: 2 ", more));
    EXPECT_TRUE(plan.ok()) << plan.status();
    return plan.ok() ? WarningTexts(*plan) : std::vector<std::string>();
  };
  const auto says =
      ::testing::Contains(HasSubstr("--attention=plain plans what XLA makes"));
  EXPECT_THAT(warnings("topology: 'v5litepod-16'"), says);
  EXPECT_THAT(warnings("topology: 'v5litepod-16' attention: plain"),
              ::testing::Not(says));
  EXPECT_THAT(warnings("topology: 'v5litepod-16' attention: fused"),
              ::testing::Not(says));
  EXPECT_THAT(warnings("topology: 'v3-32'"), ::testing::Not(says));
}

// A batch a little beyond HBM is planned with products that are computed again,
// and named so; far beyond it, or without, it is refused.
TEST(ModelFilePlanTest, WhatIsRecomputedToFitIsAWarning) {
  const auto planned = [](int batch,
                          const char* more) -> absl::StatusOr<JobPlan> {
    PODSIM_ASSIGN_OR_RETURN(const JobPlan named, PlanOf("model: 'encoder'"));
    PODSIM_ASSIGN_OR_RETURN(ModelProto model, BuildModel(named.bits().model()));
    return PlanJob(
        Spec(absl::StrCat("dataset: 'digits' batch_per_core: ", batch,
                          " train_steps: 2 learning_rate: 0.05 model_file: 'f'",
                          more)),
        InputsWith(std::make_shared<const ModelProto>(model)));
  };
  ASSERT_OK_AND_ASSIGN(const JobPlan plain, planned(1'000, ""));
  const auto largest = static_cast<int>(plain.core_memory().largest_batch());
  ASSERT_OK_AND_ASSIGN(const JobPlan fits, planned(largest, ""));
  const auto recomputes = ::testing::Contains(
      ::testing::AllOf(HasSubstr(" again, "), HasSubstr("ms sim"),
                       HasSubstr("--remat=none refuses such a job")));
  EXPECT_THAT(WarningTexts(fits), ::testing::Not(recomputes));
  const int more = largest + largest / 10;
  ASSERT_OK_AND_ASSIGN(const JobPlan plan, planned(more, ""));
  EXPECT_THAT(WarningTexts(plan), recomputes);
  EXPECT_LE(HbmBytes(plan.core_memory()), plan.core_memory().hbm());
  EXPECT_THAT(planned(more, " remat: none"),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("that fits is")));
  EXPECT_THAT(planned(50 * largest, ""),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("with all recomputed that can be")));
}

// All labels would be of the one class that there is.
TEST(NamedModelPlanTest, NeedsTheNumberOfClassesOfShards) {
  const auto planned = [](const char* dataset, std::int32_t classes) {
    DatasetConfig config = Digits();
    config.set_name(dataset);
    config.set_classes(classes);
    return PlanJob(
        Spec(absl::StrCat("topology: 'v3-8' model: 'mlp' batch_per_core: 8 "
                          "train_steps: 2 learning_rate: 0.1 data_dir: 'd' "
                          "features: 'features=float32[8,8],labels=int32' "
                          "dataset: '",
                          dataset, "'")),
        Inputs(config));
  };
  EXPECT_THAT(planned("csv", 2), ::podsim::testing::IsOk());
  EXPECT_THAT(
      planned("csv", 1),
      StatusIs(kInvalid, HasSubstr("data set csv has 1 class, which "
                                   "model mlp cannot tell from another: "
                                   "give --classes=N")));
  EXPECT_THAT(planned("images", 1),
              StatusIs(kInvalid, HasSubstr("give a folder for each class")));
}

TEST(ModelFilePlanTest, HasNoRecipe) {
  const PlanInputs inputs = InputsWith(Network(8));
  const std::string file = "model_file: 'f' ";
  EXPECT_THAT(PlanJob(Spec(file), inputs),
              StatusIs(kInvalid, HasSubstr("model_file=f has no recipe: give "
                                           "--dataset, --batch_per_core or ")));
  EXPECT_THAT(
      PlanJob(Spec(file + "dataset: 'digits' batch_per_core: 8"), inputs),
      StatusIs(kInvalid, HasSubstr("give --train_steps or --epochs")));
  EXPECT_THAT(PlanJob(Spec(file + kTyped + "model: 'mlp'"), inputs),
              StatusIs(kInvalid, HasSubstr("both say what is trained")));
  EXPECT_THAT(PlanJob(Spec(file + kTyped + "hidden: 4"), inputs),
              StatusIs(kInvalid, HasSubstr("hidden is 4 but model_file=f has "
                                           "its own layers")));
}

TEST(ModelFilePlanTest, MustFitTheDataSet) {
  EXPECT_THAT(PlanJob(Spec(std::string(kTyped) + "model_file: 'f'"),
                      InputsWith(Network(9))),
              StatusIs(kInvalid, HasSubstr("features")));
}

}  // namespace
}  // namespace podsim
