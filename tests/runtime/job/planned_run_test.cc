// Models for plans as jobs: what they mean where they say nothing, and which of
// their runs this machine takes.
#include "runtime/job/planned_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/units.h"
#include "host/input/dataset.h"
#include "host/input/synthetic.h"
#include "job/plan_program.h"
#include "models/zoo/zoo.h"
#include "runtime/job/defaults.h"
#include "runtime/job/fit.h"
#include "runtime/job/model_text.h"
#include "runtime/job/planner.h"
#include "runtime/job/smaller_job.h"
#include "tests/runtime/job/job_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::Inputs;
using ::podsim::testing::IsOk;
using ::podsim::testing::kExhausted;
using ::podsim::testing::kInvalid;
using ::podsim::testing::Spec;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Of the data set that the job means.
absl::StatusOr<JobPlan> Planned(const std::string& text) {
  PODSIM_ASSIGN_OR_RETURN(const JobSpec spec, ApplyRecipe(Spec(text)));
  PODSIM_ASSIGN_OR_RETURN(const auto dataset, OpenSynthetic(RequestOf(spec)));
  return PlanJob(Spec(text), Inputs(dataset->config()));
}

constexpr char kTiny[] =
    "model: 'gpt2_small' topology: 'v3-8' batch_per_core: 8 model_config: "
    "'layers=1' model_config: 'width=8' model_config: 'heads=2' model_config: "
    "'vocabulary=11' model_config: 'sequence_length=4' ";

TEST(PlannedJobTest, ReadsImagesOfImageNetsSize) {
  ASSERT_OK_AND_ASSIGN(const JobSpec spec,
                       ApplyRecipe(Spec("model: 'resnet50'")));
  EXPECT_EQ(spec.dataset(), "synthetic");
  EXPECT_THAT(spec.example_shape(), ElementsAre(224, 224, 3));
  EXPECT_EQ(spec.classes(), 1000);
  EXPECT_EQ(spec.synthetic_examples(), 1'281'167);
  EXPECT_EQ(spec.batch_per_core(), 128);
  EXPECT_FALSE(spec.has_features());
  ASSERT_OK_AND_ASSIGN(const JobSpec small,
                       ApplyRecipe(Spec("model: 'resnet18' classes: 10 "
                                        "example_shape: [32, 32, 3]")));
  EXPECT_THAT(small.example_shape(), ElementsAre(32, 32, 3));
  EXPECT_EQ(small.classes(), 10);
}

TEST(PlannedJobTest, ReadsTokensByALineOfSchema) {
  ASSERT_OK_AND_ASSIGN(
      const JobSpec spec,
      ApplyRecipe(
          Spec("model: 'bert_base' model_config: 'sequence_length=128'")));
  EXPECT_EQ(spec.features(),
            "input_ids=int32[128]<30522,input_mask=int32[128]<2,"
            "segment_ids=int32[128]<2,masked_lm_positions=int32[20]<128,"
            "masked_lm_ids=int32[20]<30522,masked_lm_weights=float32[20],"
            "next_sentence_labels=int32<2");
  EXPECT_TRUE(spec.example_shape().empty());
  EXPECT_FALSE(spec.has_classes());
  EXPECT_EQ(spec.dropout(), 0.1);
  ASSERT_OK_AND_ASSIGN(const JobSpec again, ApplyRecipe(spec));
  EXPECT_EQ(again.features(), spec.features());
  EXPECT_THAT(
      ApplyRecipe(Spec("model: 'bert_base' classes: 3")),
      StatusIs(kInvalid, HasSubstr("example_shape and classes are for")));
  EXPECT_THAT(ApplyRecipe(Spec("model: 'bert_base' model_config: 'layer=3'")),
              StatusIs(kInvalid, AllOf(HasSubstr("no number 'layer'"),
                                       HasSubstr("did you mean layers?"))));
  EXPECT_THAT(
      ApplyRecipe(Spec("model_file: 'f' dataset: 'digits' "
                       "batch_per_core: 8 train_steps: 2 "
                       "learning_rate: 1 model_config: 'layers=3'")),
      StatusIs(kInvalid, HasSubstr("model_config is layers=3 but model_file")));
}

TEST(PlannedJobTest, APlanSaysItsNumbersAndHashesThem) {
  ASSERT_OK_AND_ASSIGN(const JobPlan plan, Planned(kTiny));
  EXPECT_EQ(
      ModelText(plan.bits()),
      "gpt2_small heads=2,layers=1,sequence_length=4,vocabulary=11,width=8 "
      "on synthetic");
  EXPECT_THAT(plan.notes(), Contains(HasSubstr("gpt2_small is for plans")));
  EXPECT_EQ(plan.recipe_accuracy(), 0);
  ASSERT_OK_AND_ASSIGN(const Program program, ProgramOf(plan));
  EXPECT_NE(program.input("tokens"), kNoTensor);
  ASSERT_OK_AND_ASSIGN(
      const JobPlan other,
      Planned(std::string(kTiny) + "model_config: 'positions=4'"));
  EXPECT_NE(other.bits().model_hash(), plan.bits().model_hash());
  EXPECT_NE(other.hash(), plan.hash());
}

// Two for each of B T (12 W W + V W) multiplications, their gradients twice as
// many, and those of attention, 2 B T T W a layer and twice that backward.
TEST(PlannedRunTest, CountsProductsOfAStep) {
  ASSERT_OK_AND_ASSIGN(const JobPlan plan, Planned(kTiny));
  ASSERT_OK_AND_ASSIGN(const Program program, ProgramOf(plan));
  constexpr double kTokens = 8 * 4;
  EXPECT_EQ(ProductFlops(program, 8),
            3 * 2 * (kTokens * (12 * 8 * 8 + 11 * 8) + 2 * kTokens * 4 * 8));
}

TEST(PlannedRunTest, TakesWhatADayOfTheCpusTakes) {
  ASSERT_OK_AND_ASSIGN(JobPlan plan, Planned(kTiny));
  EXPECT_THAT(AdmitPlannedRun(plan, 2), IsOk());
  // 3 x 2 x 29,440 operations a core and step, 8 cores: at 2 x 1e11 a second
  // a day is 1.223e10 steps.
  plan.set_train_steps(12'000'000'000);
  EXPECT_THAT(AdmitPlannedRun(plan, 2), IsOk());
  plan.set_train_steps(25'000'000'000);
  EXPECT_THAT(AdmitPlannedRun(plan, 2),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("gpt2_small is for plans"),
                             HasSubstr("2.04 days of 2 CPUs"),
                             HasSubstr("--dry_run and pod_plan plan it; "
                                       "--train_steps=1500000000 would take "
                                       "one such day; pod_launch "),
                             HasSubstr(SmallSize("gpt2_small")))));
  EXPECT_THAT(
      AdmitPlannedRun(plan, 4),
      StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("1.02 days")));
  EXPECT_THAT(AdmitPlannedRun(plan, 0), IsOk()) << "hosts elsewhere";
  plan.mutable_bits()->mutable_model()->set_name("mine");
  EXPECT_THAT(AdmitPlannedRun(plan, 2), IsOk());
}

// The recipe's reference is 512 examples, the batch 64: 8 steps of the run for
// one that is typed. A job that says its length and learning rate has no
// reference.
TEST(PlannedRunTest, SaysStepsOfADayAsTheyAreTyped) {
  for (const auto& [more, said] :
       {std::pair("", "--train_steps=1200"),
        {"learning_rate: 0.1", "--train_steps=9800"},
        {"learning_rate: 0.1 epochs: 1",
         "--train_steps=9800 in place of --epochs"},
        {"learning_rate: 0.1 reference_batch_size: 512",
         "--train_steps=1200"}}) {
    ASSERT_OK_AND_ASSIGN(JobPlan plan, Planned(absl::StrCat(kTiny, more)));
    plan.set_train_steps(19'750);
    EXPECT_EQ(StepsOfADay(plan, 2), said) << more;
    EXPECT_EQ(StepsOfADay(plan, 1e6), "") << more;
  }
}

TEST(PlannedRunTest, ASmallSizeOfEachModelRunsHere) {
  for (const std::string& model : ModelNames()) {
    if (!IsPlanned(model)) continue;
    std::string job = "topology: 'v3-8' train_steps: 100 model: ";
    std::vector<std::string> numbers;
    if (model.starts_with("resnet")) {
      job += "'resnet18' example_shape: [32, 32, 3] classes: 10";
      EXPECT_THAT(SmallSize(model), HasSubstr("=resnet18 --example_shape=32,32,"
                                              "3 --classes=10 "));
    } else {
      numbers = {"layers=2", "width=128", "heads=2", "vocabulary=1000",
                 "sequence_length=64"};
      if (!model.starts_with("gpt2")) numbers.emplace_back("feed_forward=512");
      job += absl::StrCat("'", model, "'");
      EXPECT_THAT(SmallSize(model),
                  HasSubstr(absl::StrCat("=", model, " --model_config=",
                                         absl::StrJoin(numbers, ","), " ")));
    }
    for (const std::string& number : numbers)
      absl::StrAppend(&job, " model_config: '", number, "'");
    ASSERT_OK_AND_ASSIGN(const JobPlan plan, Planned(job));
    EXPECT_THAT(AdmitPlannedRun(plan, 1), IsOk()) << model;
    EXPECT_THAT(AdmitToMachine(plan, 8 * kGiB, 0), IsOk()) << model;
    EXPECT_THAT(
        AdmitToMachine(plan, kKiB, 0),
        StatusIs(kExhausted, HasSubstr(SmallSize(plan.bits().model().name()))));
  }
}

// 12 W W parameters, as many gradients and twice as many of adamw's slots are
// 103 GiB: no v3 core's 16 GiB, whatever is fused.
TEST(PlannedRunTest, WeightsBeyondHbmAreRefused) {
  const std::string wide =
      "model: 'gpt2_small' batch_per_core: 1 model_config: 'layers=1' "
      "model_config: 'width=24000' model_config: 'sequence_length=8' "
      "model_config: 'vocabulary=100' ";
  EXPECT_THAT(Planned(wide), StatusIs(kExhausted, HasSubstr("HBM")));
}

}  // namespace
}  // namespace podsim
