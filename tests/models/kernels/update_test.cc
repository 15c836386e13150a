// Update rules of each runnable level: the same bits as the reference's plain
// loop, those of SGD and momentum as ever, and every rule of the table within
// the bounds of its own element function over several steps.
#include <array>
#include <cstdint>
#include <vector>

#include "models/kernels/reference.h"
#include "models/rules/update_rules.h"
#include "tests/models/kernels/kernel_fixture.h"
#include "tests/models/rules/rule_oracle.h"

namespace podsim {
namespace {

using ::podsim::testing::Bounded;
using ::podsim::testing::OracleUpdate;
using ::podsim::testing::OracleVariable;

const std::vector<std::int64_t> kUpdateSizes = {0,  1,  2,  15, 16,
                                                17, 31, 33, 127};

// A variable with its slots; those of squares are not negative.
struct Variable {
  explicit Variable(std::int64_t size)
      : w(Uniform(size, 16)),
        slots{Absolute(Uniform(size, 15)), Absolute(Uniform(size, 17))} {}
  float* const* Slots() {
    at = {slots[0].data(), slots[1].data()};
    return at.data();
  }
  std::vector<float> w;
  std::array<std::vector<float>, kMostSlots> slots;
  std::array<float*, kMostSlots> at;
};

RuleSettings SettingsOf(const UpdateRule& rule) {
  RuleSettings settings = rule.info.defaults;
  if (rule.info.decay != RuleDecay::kNone) settings.weight_decay = 0.01;
  return settings;
}

class UpdateTest : public KernelTest {};

TEST_P(UpdateTest, HasEveryRule) {
  ASSERT_EQ(kernels().update_rules, std::ssize(UpdateRules()));
  for (const UpdateRule& rule : UpdateRules())
    for (const PodsimUpdate& update : kernels().updates[NumberOf(rule)]) {
      EXPECT_NE(update.update, nullptr) << rule.info.name;
      EXPECT_EQ(update.direction != nullptr, rule.info.layer_wise);
      EXPECT_EQ(update.apply != nullptr, rule.info.layer_wise);
    }
}

TEST_P(UpdateTest, SgdIsWhatItWas) {
  const auto number = NumberOf(*FindUpdateRule("sgd"));
  const UpdateScalars scalars = {0.1F};
  for (const std::int64_t size : kUpdateSizes) {
    const std::vector<float> g = Uniform(size, 14);
    Variable variable(size);
    std::vector<float> want = variable.w;
    for (std::size_t i = 0; i < want.size(); ++i) {
      const float change = 0.1F * g[i];
      want[i] = want[i] - change;
    }
    kernels().updates[number][0].update(size, scalars.data(), g.data(),
                                        variable.Slots(), variable.w.data());
    EXPECT_EQ(Bits(variable.w), Bits(want));
  }
}

TEST_P(UpdateTest, MomentumIsWhatItWas) {
  const UpdateRule& rule = *FindUpdateRule("momentum");
  const UpdateScalars scalars =
      ScalarsOf(rule, {.momentum = 0.9}, {.rate = 0.1});
  for (const std::int64_t size : kUpdateSizes) {
    const std::vector<float> g = Uniform(size, 14);
    Variable variable(size);
    std::vector<float> want_v = variable.slots[0];
    std::vector<float> want_w = variable.w;
    for (std::size_t i = 0; i < g.size(); ++i) {
      const float decayed = 0.9F * want_v[i];
      want_v[i] = decayed + g[i];
      const float change = 0.1F * want_v[i];
      want_w[i] = want_w[i] - change;
    }
    kernels().updates[NumberOf(rule)][0].update(
        size, scalars.data(), g.data(), variable.Slots(), variable.w.data());
    EXPECT_EQ(Bits(variable.slots[0]), Bits(want_v));
    EXPECT_EQ(Bits(variable.w), Bits(want_w));
  }
}

TEST_P(UpdateTest, EveryRuleIsTheReferencesToTheBit) {
  for (const UpdateRule& rule : UpdateRules())
    for (const bool decays : {false, true})
      for (const std::int64_t size : kUpdateSizes) {
        SCOPED_TRACE(rule.info.name);
        const UpdateScalars scalars =
            ScalarsOf(rule, SettingsOf(rule), {.rate = 0.1, .step = 3});
        Variable ours(size);
        Variable theirs(size);
        const auto run = [&](const PodsimKernels& table, Variable& variable) {
          const PodsimUpdate& update = table.updates[NumberOf(rule)][decays];
          std::vector<float> g = Uniform(size, 14);
          update.update(size, scalars.data(), g.data(), variable.Slots(),
                        variable.w.data());
          if (!rule.info.layer_wise) return g;
          update.direction(size, scalars.data(), g.data(), variable.Slots(),
                           variable.w.data());
          update.apply(size, scalars.data(), 0.3F, g.data(), variable.Slots(),
                       variable.w.data());
          return g;
        };
        EXPECT_EQ(Bits(run(kernels(), ours)),
                  Bits(run(ReferenceKernels(), theirs)));
        EXPECT_EQ(Bits(ours.w), Bits(theirs.w));
        for (int slot = 0; slot < kMostSlots; ++slot)
          EXPECT_EQ(Bits(ours.slots[slot]), Bits(theirs.slots[slot]));
      }
}

std::vector<Bounded> Exact(const std::vector<float>& values) {
  std::vector<Bounded> exact;
  exact.reserve(values.size());
  for (const float value : values) exact.push_back({value, 0});
  return exact;
}

// Bounds grow from step to step, as the oracle goes on from its own numbers.
TEST_P(UpdateTest, EveryRuleStaysWithinItsBoundsForSteps) {
  constexpr std::int64_t kSize = 37;
  for (const UpdateRule& rule : UpdateRules())
    for (const bool decays : {false, true}) {
      SCOPED_TRACE(rule.info.name);
      const RuleSettings settings = SettingsOf(rule);
      Variable variable(kSize);
      OracleVariable oracle = {
          .weights = Exact(variable.w),
          .slots = {Exact(variable.slots[0]), Exact(variable.slots[1])}};
      for (std::int64_t step = 1; step <= 5; ++step) {
        const UpdateScalars scalars =
            ScalarsOf(rule, settings, {.rate = 0.1, .step = step});
        const std::vector<float> g =
            Uniform(kSize, 20 + static_cast<std::uint64_t>(step));
        kernels().updates[NumberOf(rule)][decays].update(
            kSize, scalars.data(), g.data(), variable.Slots(),
            variable.w.data());
        OracleUpdate(NumberOf(rule), decays, /*trusts=*/false, scalars, 0,
                     Exact(g), oracle);
        for (std::size_t i = 0; i < variable.w.size(); ++i) {
          ASSERT_NEAR(variable.w[i], oracle.weights[i].value,
                      oracle.weights[i].bound)
              << "step " << step << " at " << i;
          ASSERT_LT(oracle.weights[i].bound, 1e-4) << "says nothing";
        }
      }
    }
}

PODSIM_INSTANTIATE_KERNEL_TEST(UpdateTest);

}  // namespace
}  // namespace podsim
