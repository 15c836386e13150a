// ApplyRecipe: what a job means where it says nothing.
#include "runtime/job/defaults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
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
using ::podsim::testing::Synthetic;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ApplyRecipeTest, FillsAnEmptyJob) {
  ASSERT_OK_AND_ASSIGN(const JobSpec spec, ApplyRecipe(JobSpec()));
  ASSERT_OK_AND_ASSIGN(const Recipe recipe, FindRecipe("mlp", "digits"));
  EXPECT_EQ(spec.topology(), "v3-32");
  EXPECT_EQ(spec.model(), "mlp");
  EXPECT_EQ(spec.dataset(), "digits");
  EXPECT_THAT(spec.hidden(), ::testing::ElementsAreArray(recipe.hidden));
  EXPECT_EQ(spec.batch_per_core(), recipe.batch_per_core);
  EXPECT_EQ(spec.train_steps(), recipe.steps);
  EXPECT_EQ(spec.reference_topology(), recipe.reference_topology);
  EXPECT_EQ(spec.learning_rate(), recipe.learning_rate);
  EXPECT_EQ(spec.warmup_steps(), recipe.warmup_steps);
  EXPECT_EQ(spec.momentum(), recipe.momentum);
  EXPECT_EQ(spec.precision(), words::Precision::bfloat16);
  EXPECT_EQ(spec.lr_scaling(), words::RateScaling::linear);
  EXPECT_EQ(spec.transport(), words::Transport::shm);
  EXPECT_EQ(spec.processes(), 4);
  EXPECT_EQ(spec.stall_timeout(), 10);
  EXPECT_EQ(spec.heartbeat_timeout(), 5);
  EXPECT_EQ(spec.initialization_timeout(), 60);
  EXPECT_EQ(spec.shutdown_timeout(), 10);
}

TEST(ApplyRecipeTest, KeepsWhatTheUserSays) {
  const JobSpec asked = Spec(
      "topology: 'v2-32' hidden: [7, 9] batch_per_core: 4 train_steps: 5 "
      "reference_batch_size: 10 base_learning_rate: 3 warmup_steps: 2 "
      "momentum: 0 seed: 8 precision: float32 processes: 2 threads: 3 "
      "stall_timeout: 99");
  ASSERT_OK_AND_ASSIGN(const JobSpec spec, ApplyRecipe(asked));
  JobSpec both = spec;
  both.clear_hidden();  // MergeFrom would append
  both.MergeFrom(asked);
  EXPECT_EQ(PrintJob(both), PrintJob(spec));
}

// Half of a schedule has the other half's reference.
TEST(ApplyRecipeTest, StepsOrRateOfOnesOwnHaveTheRecipesReference) {
  ASSERT_OK_AND_ASSIGN(const Recipe recipe, FindRecipe("mlp", "digits"));
  for (const char* own : {"train_steps: 7", "learning_rate: 0.5",
                          "base_learning_rate: 0.5", "epochs: 2"}) {
    ASSERT_OK_AND_ASSIGN(const JobSpec spec, ApplyRecipe(Spec(own)));
    EXPECT_EQ(spec.reference_topology(), recipe.reference_topology) << own;
    EXPECT_EQ(spec.reference_batch_size(), recipe.reference_batch()) << own;
  }
  ASSERT_OK_AND_ASSIGN(const JobSpec steps,
                       ApplyRecipe(Spec("train_steps: 7")));
  EXPECT_EQ(steps.train_steps(), 7);
  EXPECT_EQ(steps.learning_rate(), recipe.learning_rate);
  EXPECT_FALSE(steps.has_warmup_steps()) << "it depends on the length";
  ASSERT_OK_AND_ASSIGN(const JobSpec rate,
                       ApplyRecipe(Spec("learning_rate: 0.5")));
  EXPECT_EQ(rate.train_steps(), recipe.steps);
  EXPECT_EQ(rate.warmup_steps(), recipe.warmup_steps);
}

TEST(ApplyRecipeTest, AWholeScheduleOfOnesOwnStandsAsTyped) {
  for (const char* own :
       {"train_steps: 7 learning_rate: 0.5", "epochs: 2 learning_rate: 0.5"}) {
    ASSERT_OK_AND_ASSIGN(const JobSpec spec, ApplyRecipe(Spec(own)));
    EXPECT_FALSE(spec.has_reference_topology() ||
                 spec.has_reference_batch_size() || spec.has_warmup_steps());
    EXPECT_EQ(spec.lr_scaling(), words::RateScaling::none) << own;
  }
  EXPECT_THAT(
      ApplyRecipe(Spec("train_steps: 7 learning_rate: 0.5 lr_scaling: sqrt")),
      StatusIs(kInvalid, AllOf(HasSubstr("lr_scaling is sqrt"),
                               HasSubstr("reference_batch_size"))));
}

TEST(ApplyRecipeTest, ABatchOnASliceSaysTheBatchPerCore) {
  ASSERT_OK_AND_ASSIGN(
      const JobSpec spec,
      ApplyRecipe(Spec("topology: 'v2-32' reference_topology: 'v2-8' "
                       "reference_batch_size: 1024")));
  EXPECT_EQ(spec.batch_per_core(), 128);
  ASSERT_OK_AND_ASSIGN(
      const JobSpec own,
      ApplyRecipe(Spec("topology: 'v2-32' reference_topology: 'v2-8' "
                       "reference_batch_size: 1024 batch_per_core: 4")));
  EXPECT_EQ(own.batch_per_core(), 4);
  for (const char* batch : {"", " batch_per_core: 4"})
    EXPECT_THAT(
        ApplyRecipe(Spec(absl::StrCat(
            "reference_topology: 'v2-8' reference_batch_size: 1001", batch))),
        StatusIs(kInvalid, AllOf(HasSubstr("reference_batch_size 1,001 "),
                                 HasSubstr("8 cores"))));
}

TEST(FromRecipeTest, NamesWhatTheUserLeftOpen) {
  const auto fields = [](const char* text) {
    const JobSpec asked = Spec(text);
    const auto filled = ApplyRecipe(asked);
    EXPECT_TRUE(filled.ok());
    return FromRecipe(asked, *filled);
  };
  EXPECT_THAT(fields(""), ElementsAre("hidden", "batch_per_core", "train_steps",
                                      "reference_topology", "learning_rate",
                                      "warmup_steps", "momentum"));
  EXPECT_THAT(fields("train_steps: 7 learning_rate: 1 hidden: 5"),
              ElementsAre("batch_per_core", "momentum"));
  EXPECT_THAT(fields("reference_topology: 'v2-8' reference_batch_size: 8 "
                     "momentum: 0 hidden: 5"),
              ElementsAre("train_steps", "learning_rate", "warmup_steps"));
}

TEST(ApplyRecipeTest, AnotherBatchPerCoreKeepsTheRecipesReferenceBatch) {
  ASSERT_OK_AND_ASSIGN(const Recipe recipe, FindRecipe("mlp", "digits"));
  ASSERT_OK_AND_ASSIGN(
      const JobSpec spec,
      ApplyRecipe(Spec("topology: 'v3-8' train_batch_size: 1024")));
  EXPECT_EQ(spec.reference_batch_size(), recipe.reference_batch());
  EXPECT_FALSE(spec.has_batch_per_core());  // would exclude train_batch_size
}

TEST(ApplyRecipeTest, ARecipeIsRewrittenForTheUsersReference) {
  ASSERT_OK_AND_ASSIGN(const Recipe recipe, FindRecipe("mlp", "digits"));
  JobSpec asked;
  asked.set_reference_batch_size(recipe.reference_batch() * 4);
  ASSERT_OK_AND_ASSIGN(const JobSpec spec, ApplyRecipe(asked));
  EXPECT_EQ(spec.train_steps(), (recipe.steps + 3) / 4);
  EXPECT_EQ(spec.warmup_steps(), (recipe.warmup_steps + 3) / 4);
  EXPECT_DOUBLE_EQ(spec.learning_rate(), recipe.learning_rate * 4);
}

TEST(ApplyRecipeTest, SyntheticHasAShapeAndOtherDataNone) {
  ASSERT_OK_AND_ASSIGN(const JobSpec spec,
                       ApplyRecipe(Spec("dataset: 'synthetic' classes: 3")));
  EXPECT_THAT(spec.example_shape(), ElementsAre(28, 28));
  EXPECT_EQ(spec.classes(), 3);
  EXPECT_EQ(spec.synthetic_examples(), 60'000);
  EXPECT_THAT(ApplyRecipe(Spec("example_shape: 8")),
              StatusIs(kInvalid,
                       "example_shape is 8, but dataset=digits brings its own: "
                       "leave it out, or give --dataset=synthetic"));
  EXPECT_THAT(ApplyRecipe(Spec("classes: 3")),
              StatusIs(kInvalid,
                       "classes is 3, but dataset=digits brings its own: leave "
                       "it out, or give --dataset=cifar10, cifar100, csv, "
                       "images, synthetic or tfrecord"));
}

TEST(ApplyRecipeTest, ShardsHaveASchemaAndNoRecipe) {
  constexpr char kShards[] =
      "dataset: 'tfrecord' data_dir: '/x' features: 'a=int64' ";
  constexpr char kRest[] =
      "topology: 'v3-8' batch_per_core: 8 train_steps: 5 learning_rate: 0.1 ";
  EXPECT_THAT(ApplyRecipe(Spec(kShards)),
              StatusIs(kInvalid,
                       "dataset=tfrecord has no recipe: give --batch_per_core "
                       "or --train_batch_size, --train_steps or --epochs, "
                       "--learning_rate or --base_learning_rate, as in "
                       "--batch_per_core=8 --epochs=1 --learning_rate=0.1"));
  ASSERT_OK_AND_ASSIGN(
      const JobSpec spec,
      ApplyRecipe(Spec(absl::StrCat(kShards, kRest, "model: 'mlp' "))));
  EXPECT_EQ(spec.dataset(), "tfrecord");
  EXPECT_FALSE(spec.hidden().empty());
  EXPECT_THAT(
      ApplyRecipe(Spec(absl::StrCat(kRest, "dataset: 'tfrecord' "))),
      StatusIs(kInvalid, HasSubstr("needs data_dir, the directory of its "
                                   "shards, or DIR/train-*, or one file; give "
                                   "--data_dir=DIR")));
  EXPECT_THAT(ApplyRecipe(Spec("features: 'a=int64'")),
              StatusIs(kInvalid, HasSubstr("features is a=int64, but "
                                           "dataset=digits brings its own")));
  EXPECT_THAT(ApplyRecipe(Spec("shuffle_window: 8")),
              StatusIs(kInvalid, HasSubstr("digits is shuffled as a whole")));
}

TEST(ApplyRecipeTest, EveryFormatOfShardsTrainsAModel) {
  for (const char* name :
       {"cifar10", "cifar100", "csv", "images", "tfrecord"}) {
    SCOPED_TRACE(name);
    const std::string job = absl::StrCat(
        "model: 'mlp' topology: 'v3-8' batch_per_core: 4 train_steps: 5 "
        "learning_rate: 0.1 classes: 3 features: 'features=image[2,2,3]' "
        "dataset: '",
        name, "' ");
    EXPECT_THAT(ApplyRecipe(Spec(job + "data_dir: '/x'")), IsOk());
    EXPECT_THAT(ApplyRecipe(Spec(job)),
                StatusIs(kInvalid, HasSubstr("needs data_dir")));
    const bool folder = std::string(name) == "images";
    EXPECT_EQ(ApplyRecipe(Spec(job + "data_dir: '/x' shuffle_window: 8")).ok(),
              !folder);
  }
}

TEST(ApplyRecipeTest, ACsvFileIsADataSetByItsName) {
  const std::string job =
      "model: 'mlp' batch_per_core: 4 train_steps: 1 learning_rate: 0.1 ";
  for (const char* path : {"/x/my.csv", "my.csv.gz"}) {
    ASSERT_OK_AND_ASSIGN(
        const JobSpec spec,
        ApplyRecipe(Spec(absl::StrCat(job, "data_dir: '", path, "'"))));
    EXPECT_EQ(spec.dataset(), "csv");
  }
  EXPECT_THAT(ApplyRecipe(Spec(job + "dataset: 'digits' data_dir: 'my.csv'")),
              StatusIs(kInvalid, HasSubstr("digits are built in")));
}

TEST(ApplyRecipeTest, OnlyFilesHaveADirectory) {
  EXPECT_THAT(ApplyRecipe(Spec("data_dir: '/x'")),
              StatusIs(kInvalid,
                       "data_dir is /x, but digits are built in: leave it out, "
                       "or say what its files are, --dataset=arrays, cifar10, "
                       "cifar100, csv, images, mnist, npz or tfrecord"));
  EXPECT_THAT(
      ApplyRecipe(Spec("data_dir: './MNIST-2/'")),
      StatusIs(kInvalid, HasSubstr("what its files are, --dataset=mnist for "
                                   "files (train-images-idx3-ubyte, ..., plain "
                                   "or .gz), or --dataset=arrays, cifar10, "
                                   "cifar100, csv, images, npz or tfrecord")));
  EXPECT_THAT(ApplyRecipe(Spec("data_dir: '/mnist/cifar100'")),
              StatusIs(kInvalid, HasSubstr("--dataset=cifar100 for binary")));
  EXPECT_THAT(ApplyRecipe(Spec("dataset: 'synthetic' data_dir: '/x'")),
              StatusIs(kInvalid, HasSubstr("synthetic is made from the seed")));
  EXPECT_THAT(ApplyRecipe(Spec("dataset: 'mnist' data_dir: '/x'")), IsOk());
  EXPECT_THAT(ApplyRecipe(Spec("dataset: 'arrays'")),
              StatusIs(kInvalid, HasSubstr("models of your own")));
  EXPECT_THAT(
      ApplyRecipe(Spec("model_file: 'm' dataset: 'arrays' batch_per_core: 4 "
                       "train_steps: 1 learning_rate: 0.1")),
      StatusIs(kInvalid, HasSubstr("folders train and eval")));
}

TEST(ApplyRecipeTest, Refusals) {
  EXPECT_THAT(ApplyRecipe(Spec("topology: 'v3-33'")),
              StatusIs(kInvalid, HasSubstr("topology: no slice")));
  EXPECT_THAT(ApplyRecipe(Spec("reference_topology: 'v3-9'")),
              StatusIs(kInvalid, HasSubstr("reference_topology: no slice")));
  EXPECT_THAT(ApplyRecipe(Spec("model: 'vgg16'")),
              StatusIs(kInvalid, HasSubstr("model: no model is called "
                                           "'vgg16'; known: mlp")));
  EXPECT_THAT(ApplyRecipe(Spec("dataset: 'imagenet'")),
              StatusIs(kInvalid,
                       "dataset: no data set is called 'imagenet'; known: "
                       "arrays, cifar10, cifar100, csv, digits, images, mnist, "
                       "npz, synthetic, tfrecord"));
  EXPECT_THAT(ApplyRecipe(Spec("dataset: 'mnistt'")),
              StatusIs(kInvalid, HasSubstr("'mnistt'; did you mean mnist?; ")));
  EXPECT_THAT(
      ApplyRecipe(Spec("model_file: 'm' dataset: 'tfrecords' data_dir: '/x' "
                       "batch_per_core: 4 train_steps: 1 learning_rate: 0.1")),
      StatusIs(kInvalid, HasSubstr("did you mean tfrecord?; ")));
  EXPECT_THAT(ApplyRecipe(Spec("dataset: 'mnist'")),
              StatusIs(kInvalid, HasSubstr("data_dir")));
  EXPECT_THAT(ApplyRecipe(Spec("train_batch_size: 100")),
              StatusIs(kInvalid, HasSubstr("32 cores")));
  EXPECT_THAT(ApplyRecipe(Spec("momentum: -1")),
              StatusIs(kInvalid, HasSubstr("momentum")));
}

std::string WithoutOrigins(JobPlan plan) {
  plan.clear_from_recipe();
  plan.clear_notes();
  return plan.DebugString();
}

// A job that says all its defaults is the same job.
class CompleteTest : public ::testing::TestWithParam<const char*> {};

TEST_P(CompleteTest, ApplyingItAgainChangesNothing) {
  const JobSpec asked = Spec(GetParam());
  ASSERT_OK_AND_ASSIGN(const JobSpec once, ApplyRecipe(asked));
  ASSERT_OK_AND_ASSIGN(const JobSpec twice, ApplyRecipe(once));
  EXPECT_EQ(PrintJob(once), PrintJob(twice));
  const PlanInputs inputs =
      Inputs(once.dataset() == "digits" ? Digits() : Synthetic());
  ASSERT_OK_AND_ASSIGN(const JobPlan plan, PlanJob(asked, inputs));
  ASSERT_OK_AND_ASSIGN(const JobPlan again, PlanJob(once, inputs));
  // But for who said what.
  EXPECT_EQ(WithoutOrigins(plan), WithoutOrigins(again));
}

INSTANTIATE_TEST_SUITE_P(
    All, CompleteTest,
    ::testing::Values("", "topology: 'V2-512'", "train_steps: 7",
                      "train_steps: 7 learning_rate: 0.1", "epochs: 1.5",
                      "train_batch_size: 1024", "batch_per_core: 3",
                      "reference_topology: 'v2-8' reference_batch_size: 1024",
                      "epochs: 2 base_learning_rate: 0.1",
                      "reference_batch_size: 100",
                      "reference_topology: 'v3-128' train_steps: 10",
                      "reference_topology: 'v2-8' epochs: 3",
                      "base_learning_rate: 0.1 lr_scaling: sqrt",
                      "train_steps: 9 warmup_steps: 4 batch_per_core: 16",
                      "dataset: 'synthetic' topology: 'v3-2048'"));

}  // namespace
}  // namespace podsim
