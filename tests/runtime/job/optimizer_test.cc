// Optimizers and shapes of the rate: from settings to the plan.
#include "runtime/job/optimizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "job/plan_program.h"
#include "job/plan_warning.h"
#include "models/rules/update_rules.h"
#include "runtime/job/format_plan.h"
#include "settings/field_text.h"
#include "tests/runtime/job/job_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::kInvalid;
using ::podsim::testing::PlanOf;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(OptimizerPlanTest, WordsAreTheRules) {
  const auto& words = *words::Optimizer::Word_descriptor();
  ASSERT_EQ(words.value_count(), std::ssize(UpdateRules()));
  for (const UpdateRule& rule : UpdateRules())
    EXPECT_EQ(words.value(NumberOf(rule))->name(), rule.info.name);
}

// Settings of rules have one name everywhere.
TEST(OptimizerPlanTest, EverySettingIsAField) {
  for (const RuleSetting& setting : RuleSettingTable()) {
    SCOPED_TRACE(setting.name);
    EXPECT_NE(JobSpec::descriptor()->FindFieldByName(setting.name), nullptr);
    const bool momentum = setting.bit == kReadsMomentum;
    EXPECT_NE((momentum ? PlanBits::descriptor() : UpdateNumbers::descriptor())
                  ->FindFieldByName(setting.name),
              nullptr);
  }
}

TEST(OptimizerPlanTest, EveryRuleIsPlannedAndBuilt) {
  for (const UpdateRule& rule : UpdateRules()) {
    SCOPED_TRACE(rule.info.name);
    ASSERT_OK_AND_ASSIGN(const JobPlan plan,
                         PlanOf(absl::StrCat("learning_rate: 0.01 optimizer: ",
                                             rule.info.name)));
    ASSERT_OK_AND_ASSIGN(const Program program, ProgramOf(plan));
    const bool sgd = std::string(rule.info.name) == "sgd";
    EXPECT_EQ(program.rule, sgd ? "momentum" : rule.info.name);
    EXPECT_TRUE(sgd || program.rule_settings == rule.info.defaults);
  }
}

TEST(OptimizerPlanTest, SgdWithAMomentumIsMomentum) {
  ASSERT_OK_AND_ASSIGN(const JobPlan recipe, PlanOf(""));
  EXPECT_EQ(recipe.bits().optimizer(), "sgd");
  EXPECT_EQ(recipe.bits().momentum(), 0.9);
  EXPECT_FALSE(recipe.bits().has_update());
  for (const char* same :
       {"optimizer: sgd", "optimizer: momentum",
        "optimizer: momentum momentum: 0.9", "lr_schedule: constant"}) {
    ASSERT_OK_AND_ASSIGN(const JobPlan plan, PlanOf(same));
    EXPECT_EQ(plan.hash(), recipe.hash()) << same;
  }
}

TEST(OptimizerPlanTest, NumbersGoIntoTheBits) {
  ASSERT_OK_AND_ASSIGN(
      const JobPlan plan,
      PlanOf("optimizer: adamw learning_rate: 0.001 beta2: 0.99 weight_decay: "
             "0.1 weight_decay_exclude: ['bias', 'norm'] clip_norm: 1"));
  const PlanBits& bits = plan.bits();
  EXPECT_EQ(bits.optimizer(), "adamw");
  EXPECT_EQ(bits.momentum(), 0);
  EXPECT_EQ(bits.update().beta1(), 0.9);
  EXPECT_EQ(bits.update().beta2(), 0.99);
  EXPECT_EQ(bits.update().epsilon(), 1e-8);
  EXPECT_EQ(bits.update().weight_decay(), 0.1);
  EXPECT_THAT(bits.update().weight_decay_exclude(),
              ElementsAre("bias", "norm"));
  EXPECT_EQ(bits.update().clip_norm(), 1);
  EXPECT_EQ(OptimizerText(bits),
            "adamw, beta1 0.9, beta2 0.99, epsilon 1e-08, weight_decay 0.1 "
            "(not of bias, norm), gradients clipped at a norm of 1");
  EXPECT_EQ(plan.recipe_accuracy(), 0) << "measured with sgd";
}

TEST(OptimizerPlanTest, ARecipeMayNameIts) {
  ASSERT_OK_AND_ASSIGN(const Recipe recipe, FindRecipe("encoder", "digits"));
  ASSERT_EQ(recipe.optimizer, "adamw");
  const auto plan_of = [](const std::string& more) {
    return PlanOf("model: 'encoder' topology: 'v3-8' " + more);
  };
  ASSERT_OK_AND_ASSIGN(const JobPlan plan, plan_of(""));
  EXPECT_EQ(plan.bits().optimizer(), "adamw");
  EXPECT_EQ(plan.bits().learning_rate().peak(), recipe.learning_rate);
  EXPECT_THAT(plan.from_recipe(), Contains("optimizer"));
  EXPECT_EQ(plan.recipe_accuracy(), recipe.accuracy);
  EXPECT_TRUE(plan.warnings().empty());
  ASSERT_OK_AND_ASSIGN(const JobPlan typed, plan_of("optimizer: adamw"));
  EXPECT_EQ(typed.hash(), plan.hash());
  EXPECT_THAT(typed.from_recipe(), Not(Contains("optimizer")));
  ASSERT_OK_AND_ASSIGN(const JobPlan decayed, plan_of("weight_decay: 0.1"));
  EXPECT_EQ(decayed.recipe_accuracy(), 0);
  ASSERT_OK_AND_ASSIGN(const JobPlan fast, plan_of("learning_rate: 0.1"));
  EXPECT_THAT(WarningTexts(fast),
              Contains(HasSubstr("a learning rate of 0.1")));
  EXPECT_THAT(plan_of("optimizer: sgd"),
              StatusIs(kInvalid, HasSubstr("0.0005 is for adamw")));
  EXPECT_THAT(plan_of("momentum: 0.9"),
              StatusIs(kInvalid, HasSubstr("give optimizer=")));
}

TEST(OptimizerPlanTest, WhatIsNotReadIsRefused) {
  const std::pair<const char*, const char*> refused[] = {
      {"beta1: 0.5",
       "beta1 is 0.5 but optimizer=sgd has none; leave it out, or give "
       "optimizer=adam, adamw or lamb"},
      {"trust_coefficient: 1", "optimizer=sgd has none"},
      {"optimizer: nesterov epsilon: 1e-3", "optimizer=nesterov has none"},
      {"optimizer: adam learning_rate: 1 momentum: 0.9",
       "momentum is 0.9 but optimizer=adam has none"},
      {"optimizer: adam learning_rate: 1 weight_decay: 0.1",
       "give optimizer=adamw"},
      {"optimizer: lamb learning_rate: 1 trust_coefficient: 1",
       "optimizer=lamb has none"},
      {"weight_decay_exclude: 'bias'",
       "there is no weight decay; leave it out, or give --weight_decay=X"},
      {"optimizer: adam learning_rate: 1 weight_decay_exclude: 'bias'",
       "leave it out, or give --optimizer=adamw"},
      {"optimizer: adam",
       "optimizer=adam needs a learning_rate: the recipe's 0.06 is for sgd; "
       "give one, such as --learning_rate=0.001"},
      {"lr_end: 0.1", "lr_schedule=constant has none"},
      {"lr_schedule: cosine lr_power: 2",
       "lr_power is 2 but lr_schedule=cosine has none"},
      {"lr_schedule: linear lr_decay_at: 0.5", "lr_decay_at is 0.5 but"},
      {"lr_schedule: step", "needs lr_decay_at"},
      {"lr_schedule: step lr_decay_at: [0.6, 0.3]",
       "lr_decay_at is 0.6,0.3; give the parts in order: 0.3,0.6"},
      {"lr_schedule: step lr_decay_at: 0.5 lr_end: 0.1", "lr_end is 0.1 but"},
      {"lr_schedule: step lr_decay_at: 1.5", "lr_decay_at is 1.5"},
      {"clip_norm: 0", "clip_norm is 0"},
      {"restore_weights_only: true", "needs restore"},
      {"restore_weights_only: true restore: '/m/9' model_dir: '/m'",
       "give another model_dir"}};
  for (const auto& [spec, why] : refused)
    EXPECT_THAT(PlanOf(spec), StatusIs(kInvalid, HasSubstr(why))) << spec;
}

TEST(OptimizerPlanTest, ShapesEndWithTheExamplesAskedForOnEverySlice) {
  constexpr char kJob[] =
      "train_steps: 100 reference_batch_size: 65 learning_rate: 0.1 "
      "warmup_steps: 10 lr_schedule: polynomial lr_end: 0.1 lr_power: 2 ";
  for (const char* slice : {"topology: 'v3-8'", "topology: 'v3-32'"}) {
    ASSERT_OK_AND_ASSIGN(const JobPlan plan, PlanOf(absl::StrCat(kJob, slice)));
    const LearningRate& rate = plan.bits().learning_rate();
    EXPECT_EQ(rate.schedule(), "polynomial");
    EXPECT_EQ(rate.end_examples(), 6500);
    EXPECT_EQ(rate.warmup_examples(), 650);
    EXPECT_EQ(rate.end(), 0.1);
    EXPECT_EQ(rate.power(), 2);
  }
  ASSERT_OK_AND_ASSIGN(
      const JobPlan step,
      PlanOf("train_steps: 100 reference_batch_size: 64 learning_rate: 0.1 "
             "topology: 'v3-8' lr_schedule: step lr_decay_at: [0.3, 0.6]"));
  EXPECT_THAT(step.bits().learning_rate().drops(), ElementsAre(1920, 3840));
  EXPECT_EQ(step.bits().learning_rate().drop_factor(), 0.1);
}

TEST(OptimizerPlanTest, ThePlanSaysSo) {
  ASSERT_OK_AND_ASSIGN(const Slice slice, FindSlice("v3-8"));
  const auto text = [&](const std::string& spec) {
    const auto plan = PlanOf(absl::StrCat("topology: 'v3-8' ", spec));
    EXPECT_THAT(plan, IsOk()) << spec;
    return FormatPlan(*plan, slice, {.width = 1000, .verbose = true});
  };
  EXPECT_THAT(text(""), Not(HasSubstr("\noptimizer ")));
  EXPECT_THAT(
      text("optimizer: nesterov lr_schedule: cosine"),
      AllOf(HasSubstr("\nschedule       cosine to 0 after "),
            HasSubstr("\noptimizer      nesterov, momentum 0.9 (recipe)"),
            Not(HasSubstr("WARNING"))));
}

// The linear rule is SGD's.
TEST(OptimizerPlanTest, AdaptiveRulesAreWarnedOfTheLinearRule) {
  const std::string job =
      "topology: 'v3-128' batch_per_core: 8 train_steps: 2000 "
      "learning_rate: 0.001 reference_topology: 'v3-8' ";
  const auto linear = Contains(HasSubstr("from 0.001 to 0.016 by the linear"));
  for (const char* name : {"adam", "adamw", "lamb"}) {
    ASSERT_OK_AND_ASSIGN(const JobPlan plan,
                         PlanOf(absl::StrCat(job, "optimizer: ", name)));
    EXPECT_THAT(WarningTexts(plan), linear) << name;
    EXPECT_THAT(WarningTexts(plan), Contains(HasSubstr("sqrt (0.004)")));
    ASSERT_OK_AND_ASSIGN(
        const JobPlan root,
        PlanOf(absl::StrCat(job, "lr_scaling: sqrt optimizer: ", name)));
    EXPECT_THAT(WarningTexts(root), Not(linear)) << name;
  }
  for (const char* name : {"sgd", "nesterov", "lars"}) {
    ASSERT_OK_AND_ASSIGN(const JobPlan plan,
                         PlanOf(absl::StrCat(job, "optimizer: ", name)));
    EXPECT_THAT(WarningTexts(plan), Not(linear)) << name;
  }
}

// What the recipe's fewest steps were measured with.
TEST(OptimizerPlanTest, FewStepsAreWarnedOfWhereThatWasMeasured) {
  const auto few = Contains(HasSubstr("only 63 steps are left"));
  const std::string job = "topology: 'v3-256' batch_per_core: 8 ";
  const std::string typed = "train_steps: 63 learning_rate: 0.05 optimizer: ";
  ASSERT_OK_AND_ASSIGN(const JobPlan recipe, PlanOf(job));
  EXPECT_THAT(WarningTexts(recipe), few);
  for (const std::string& other :
       {typed + "lamb", typed + "lars", std::string("lr_scaling: sqrt")}) {
    ASSERT_OK_AND_ASSIGN(const JobPlan plan, PlanOf(job + other));
    EXPECT_EQ(plan.train_steps(), 63) << other;
    EXPECT_THAT(WarningTexts(plan), Not(few)) << other;
  }
}

}  // namespace
}  // namespace podsim
