// Every named model has a recipe.
#include "runtime/job/recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "interconnect/topology/slice.h"
#include "models/zoo/zoo.h"
#include "runtime/job/scaling.h"
#include "settings/words.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(RecipeTest, EveryModelHasOneForDigits) {
  std::set<std::pair<std::string, std::string>> pairs;
  for (const Recipe& recipe : Recipes())
    pairs.insert({recipe.model, recipe.dataset});
  EXPECT_EQ(pairs.size(), Recipes().size()) << "a pair has two recipes";
  for (const std::string& model : TrainedModelNames())
    EXPECT_THAT(FindRecipe(model, "digits"), IsOk());
  for (const char* dataset : {"mnist", "synthetic"})
    EXPECT_THAT(FindRecipe("mlp", dataset), IsOk());
  EXPECT_THAT(
      FindRecipe("encoder", "mnist"),
      StatusIs(kInvalid, HasSubstr("model encoder has no recipe for data set "
                                   "mnist; it has one for digits: give "
                                   "--dataset=digits")));
}

// On examples that are made, and promises nothing.
TEST(RecipeTest, EveryModelForPlansHasAPublishedOne) {
  for (const std::string& model : ModelNames()) {
    if (!IsPlanned(model)) continue;
    SCOPED_TRACE(model);
    ASSERT_OK_AND_ASSIGN(const Recipe recipe, FindRecipe(model, ""));
    EXPECT_EQ(recipe.dataset, "synthetic");
    EXPECT_GT(recipe.examples, 0);
    EXPECT_EQ(recipe.accuracy, 0);
    EXPECT_EQ(recipe.smallest_converging_steps, 0);
  }
  ASSERT_OK_AND_ASSIGN(const Recipe resnet, FindRecipe("resnet50", ""));
  EXPECT_EQ(resnet.reference_batch(), 1024);
  ASSERT_OK_AND_ASSIGN(const Recipe bert, FindRecipe("bert_large", ""));
  EXPECT_EQ(bert.reference_batch(), 256);
  ASSERT_OK_AND_ASSIGN(const Recipe gpt2, FindRecipe("gpt2_xl", ""));
  EXPECT_EQ(gpt2.reference_batch(), 512);
  EXPECT_EQ(gpt2.learning_rate, 2e-4);
  EXPECT_THAT(FindRecipe("resnet50", "images"), IsOk());
}

TEST(RecipeTest, NumbersMakeSense) {
  for (const Recipe& recipe : Recipes()) {
    SCOPED_TRACE(recipe.model + " on " + recipe.dataset);
    EXPECT_THAT(FindSlice(recipe.reference_topology), IsOk());
    EXPECT_GE(recipe.batch_per_core, 1);
    EXPECT_TRUE(WordNamed<words::Optimizer::Word>(recipe.optimizer));
    EXPECT_GT(recipe.learning_rate, 0);
    EXPECT_TRUE(recipe.momentum >= 0 && recipe.momentum < 1);
    EXPECT_LT(recipe.warmup_steps, recipe.steps);
    EXPECT_LE(recipe.smallest_converging_steps, recipe.steps);
    EXPECT_TRUE(recipe.dropout >= 0 && recipe.dropout < 1);
    if (recipe.accuracy == 0) {
      EXPECT_EQ(recipe.largest_converging_rate, 0);
      continue;
    }
    EXPECT_GE(recipe.largest_converging_rate, recipe.learning_rate);
    EXPECT_TRUE(recipe.accuracy > 0 && recipe.accuracy <= 1);
  }
}

TEST(RecipeTest, TheDefaultConvergesOnV332) {
  ASSERT_OK_AND_ASSIGN(const Recipe recipe, FindRecipe("", ""));
  EXPECT_EQ(recipe.dataset, "digits");
  ASSERT_OK_AND_ASSIGN(const ScaledSteps scaled,
                       ScaleSteps(recipe.steps, recipe.reference_batch(),
                                  recipe.batch_per_core * 32));
  EXPECT_GE(scaled.steps, recipe.smallest_converging_steps);
}

TEST(RecipeTest, UnknownNamesAreRefusedWithTheKnownOnes) {
  EXPECT_THAT(FindRecipe("mpl", ""),
              StatusIs(kInvalid, AllOf(HasSubstr("'mpl'"), HasSubstr("mlp"))));
  EXPECT_THAT(
      FindRecipe("mlp", "cifar"),
      StatusIs(kInvalid, AllOf(HasSubstr("'cifar'; did you mean cifar10 or "
                                         "cifar100?; known: arrays, cifar10"),
                               HasSubstr("digits, images, mnist, npz, "
                                         "synthetic, tfrecord"))));
}

}  // namespace
}  // namespace podsim
