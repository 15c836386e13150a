#include "models/rules/update_rules.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "models/rules/rules.h"

namespace podsim {
namespace {

// A number that counts what is done with it, for a rule's templates.
struct Counting {
  RuleWork* work = nullptr;
};

Counting CountFlop(Counting x) {
  ++x.work->flops;
  return x;
}
Counting operator+(Counting a, Counting /*b*/) { return CountFlop(a); }
Counting operator-(Counting a, Counting /*b*/) { return CountFlop(a); }
Counting operator*(Counting a, Counting /*b*/) { return CountFlop(a); }
Counting operator/(Counting a, Counting /*b*/) { return CountFlop(a); }
Counting SquareRoot(Counting x) {
  ++x.work->roots;
  return x;
}

template <typename Rule, bool kDecays>
RuleWork WorkIf() {
  RuleWork work;
  const Counting x = {&work};
  std::array<Counting, kMostScalars> scalars;
  scalars.fill(x);
  const Element<Counting> u =
      DecayedDirection<Rule, kDecays>(scalars.data(), x, x, x, x);
  Rule::Apply(scalars.data(), u.value, u.slot0, u.slot1, x);
  return work;
}

template <typename Rule>
RuleWork WorkOfElement(bool decays) {
  return decays ? WorkIf<Rule, true>() : WorkIf<Rule, false>();
}

template <typename... Rule>
constexpr auto TableOf(RuleList<Rule...>) {
  return std::array<UpdateRule, sizeof...(Rule)>{
      UpdateRule{.info = Rule::kInfo,
                 .scalars = Rule::Scalars,
                 .work = WorkOfElement<Rule>}...};
}

constexpr auto kRules = TableOf(Rules());

constexpr double kUnbounded = std::numeric_limits<double>::infinity();
constexpr RuleSetting kSettings[] = {
    {"momentum", kReadsMomentum, &RuleSettings::momentum, 1, false},
    {"beta1", kReadsBeta1, &RuleSettings::beta1, 1, false},
    {"beta2", kReadsBeta2, &RuleSettings::beta2, 1, false},
    {"epsilon", kReadsEpsilon, &RuleSettings::epsilon, kUnbounded, true},
    {"weight_decay", kReadsWeightDecay, &RuleSettings::weight_decay, kUnbounded,
     false},
    {"trust_coefficient", kReadsTrustCoefficient,
     &RuleSettings::trust_coefficient, kUnbounded, true},
};

// Written so that NaN is refused too.
bool IsWithin(const RuleSetting& setting, double value) {
  const bool high_enough =
      setting.positive ? static_cast<float>(value) > 0 : value >= 0;
  return high_enough && value < setting.below;
}

// Of a rule's own value; 0 is what a setting without one has.
std::string UsualText(double value) {
  return value == 0 ? "" : absl::StrCat(", such as ", value);
}

}  // namespace

std::span<const UpdateRule> UpdateRules() { return kRules; }

const UpdateRule* FindUpdateRule(std::string_view name) {
  const auto found = std::find_if(
      kRules.begin(), kRules.end(),
      [&](const UpdateRule& rule) { return name == rule.info.name; });
  return found == kRules.end() ? nullptr : &*found;
}

std::int32_t NumberOf(const UpdateRule& rule) {
  PODSIM_CHECK(&rule >= kRules.data() && &rule < kRules.data() + kRules.size());
  return static_cast<std::int32_t>(&rule - kRules.data());
}

std::string UpdateRuleNames() {
  return absl::StrJoin(kRules, ", ",
                       [](std::string* out, const UpdateRule& rule) {
                         out->append(rule.info.name);
                       });
}

std::span<const RuleSetting> RuleSettingTable() { return kSettings; }

absl::Status CheckRuleSettings(const UpdateRule& rule,
                               const RuleSettings& settings) {
  for (const RuleSetting& setting : kSettings) {
    const double value = settings.*setting.value;
    if ((rule.info.reads & setting.bit) == 0) {
      if (value == rule.info.defaults.*setting.value) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(setting.name, " is ", value, " but ", rule.info.name,
                       " reads no ", setting.name, "; leave it out"));
    }
    if (IsWithin(setting, value)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(setting.name, " is ", value, " but must be ",
                     setting.positive ? "more than 0 in float32" : "at least 0",
                     setting.below == kUnbounded
                         ? " and finite"
                         : absl::StrCat(" and below ", setting.below),
                     UsualText(rule.info.defaults.*setting.value)));
  }
  return absl::OkStatus();
}

UpdateScalars ScalarsOf(const UpdateRule& rule, const RuleSettings& settings,
                        const StepMoment& moment) {
  PODSIM_CHECK(moment.step >= 1);
  std::array<double, kMostScalars> exact = {};
  exact[kRate] = moment.rate;
  exact[kDecay] = settings.weight_decay;
  rule.scalars(settings, moment, exact.data());
  UpdateScalars scalars;
  for (std::size_t i = 0; i < scalars.size(); ++i)
    scalars[i] = static_cast<float>(exact[i]);
  return scalars;
}

}  // namespace podsim
