// Update rules: their formulas against numbers made with optax's chains written
// out in float64 elsewhere, their scalars, their data.
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "models/rules/update_rules.h"
#include "tests/models/rules/rule_oracle.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::OracleUpdate;
using ::podsim::testing::OracleVariable;
using ::podsim::testing::StatusIs;
using ::testing::HasSubstr;

// Weights {0.5, -0.25} after three steps at rate 0.1 with the gradients below,
// everything at its default but the weight decay.
struct Golden {
  const char* rule;
  double weight_decay;
  double weights[2];
};

constexpr Golden kGoldens[] = {
    {"sgd", 0.01, {0.478501490, -0.244305720}},
    {"momentum", 0.01, {0.478115389, -0.196907670}},
    {"nesterov", 0.01, {0.458823162, -0.196661910}},
    {"adam", 0, {0.402286254, -0.096497484}},
    {"adamw", 0.01, {0.400951043, -0.096001987}},
    {"lars", 0.01, {0.500006590, -0.249912402}},
    {"lamb", 0.01, {0.436885311, -0.168706410}},
};
constexpr double kGradients[3][2] = {{0.1, -0.3}, {-0.2, 0.05}, {0.3, 0.2}};

TEST(Rules, AreOptaxs) {
  std::set<std::string> seen;
  for (const Golden& golden : kGoldens) {
    const UpdateRule* rule = FindUpdateRule(golden.rule);
    ASSERT_NE(rule, nullptr) << golden.rule;
    seen.insert(golden.rule);
    RuleSettings settings = rule->info.defaults;
    settings.weight_decay = golden.weight_decay;
    OracleVariable variable = {.weights = {{0.5}, {-0.25}},
                               .slots = {{{}, {}}, {{}, {}}}};
    for (std::int64_t step = 1; step <= 3; ++step) {
      const double* g = kGradients[step - 1];
      OracleUpdate(NumberOf(*rule), golden.weight_decay != 0,
                   rule->info.layer_wise,
                   ScalarsOf(*rule, settings, {.rate = 0.1, .step = step}),
                   settings.trust_coefficient, {{g[0]}, {g[1]}}, variable);
    }
    // The scalars are float32: a few roundings of 6e-8 a step.
    for (int i = 0; i < 2; ++i)
      EXPECT_NEAR(variable.weights[static_cast<std::size_t>(i)].value,
                  golden.weights[i], 2e-6)
          << golden.rule;
  }
  for (const UpdateRule& rule : UpdateRules())
    EXPECT_TRUE(seen.contains(rule.info.name))
        << rule.info.name << " has no golden numbers";
}

// With no norm the ratio is 1, not 0 / 0.
TEST(Rules, ATrustRatioNeedsBothNorms) {
  const UpdateRule& lars = *FindUpdateRule("lars");
  OracleVariable variable = {.weights = {{0}, {0}},
                             .slots = {{{}, {}}, {{}, {}}}};
  OracleUpdate(NumberOf(lars), false, true,
               ScalarsOf(lars, lars.info.defaults, {.rate = 0.5}), 0.001,
               {{1}, {2}}, variable);
  EXPECT_NEAR(variable.weights[0].value, -0.5, 1e-6);
  EXPECT_NEAR(variable.weights[1].value, -1, 1e-6);
}

TEST(Rules, CorrectionsFadeOut) {
  const UpdateRule& adam = *FindUpdateRule("adam");
  const auto at = [&](std::int64_t step) {
    return ScalarsOf(adam, adam.info.defaults, {.rate = 0.25, .step = step});
  };
  EXPECT_EQ(at(1)[kRate], 0.25F);
  EXPECT_FLOAT_EQ(at(1)[Adam::kCorrect1], 10);
  EXPECT_FLOAT_EQ(at(1)[Adam::kCorrect2], 1000);
  EXPECT_FLOAT_EQ(at(2)[Adam::kCorrect1], 1 / 0.19F);
  EXPECT_EQ(at(1'000'000)[Adam::kCorrect1], 1);
  EXPECT_EQ(at(1'000'000)[Adam::kCorrect2], 1);
}

TEST(Rules, WholePowersAreNearTheLibrarys) {
  for (const double base : {0.0, 0.5, 0.9, 0.999})
    for (const std::int64_t exponent : {1, 2, 3, 7, 1000, 4097})
      EXPECT_NEAR(WholePower(base, exponent),
                  std::pow(base, static_cast<double>(exponent)),
                  1e-12 * std::pow(base, static_cast<double>(exponent)));
}

TEST(Rules, HaveSoundData) {
  std::set<std::string> names;
  for (const UpdateRule& rule : UpdateRules()) {
    const RuleInfo& info = rule.info;
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(FindUpdateRule(info.name), &rule);
    EXPECT_THAT(CheckRuleSettings(rule, info.defaults), IsOk()) << info.name;
    EXPECT_EQ((info.reads & kReadsWeightDecay) != 0,
              info.decay != RuleDecay::kNone)
        << info.name;
    EXPECT_EQ(info.layer_wise, info.defaults.trust_coefficient != 0)
        << info.name;
    for (int i = 0; i < kMostSlots; ++i)
      EXPECT_EQ(info.slots[i] != nullptr, i < info.slot_count) << info.name;
  }
  EXPECT_EQ(FindUpdateRule("adamax"), nullptr);
}

TEST(Rules, RefuseNumbersOutOfBounds) {
  const UpdateRule& lamb = *FindUpdateRule("lamb");
  const auto with = [&](double RuleSettings::*setting, double value) {
    RuleSettings settings = lamb.info.defaults;
    settings.*setting = value;
    return CheckRuleSettings(lamb, settings);
  };
  const auto refused = [](const char* what) {
    return StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(what));
  };
  EXPECT_THAT(with(&RuleSettings::beta1, 1), refused("beta1 is 1"));
  EXPECT_THAT(with(&RuleSettings::epsilon, 0), refused("more than 0"));
  EXPECT_THAT(with(&RuleSettings::weight_decay, -1), refused("at least 0"));
  EXPECT_THAT(with(&RuleSettings::weight_decay, NAN), refused("nan"));
  EXPECT_THAT(with(&RuleSettings::momentum, 0.9),
              refused("lamb reads no momentum"));
  EXPECT_THAT(with(&RuleSettings::trust_coefficient, 0.1),
              refused("lamb reads no trust_coefficient"));
}

}  // namespace
}  // namespace podsim
