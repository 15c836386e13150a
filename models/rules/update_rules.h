// The update rules as the program sees them: data and the scalars of a step.
// How their elements are computed is the kernels' (models/kernels/updates.h).
//
//   const UpdateRule* rule = FindUpdateRule("adam");
//   UpdateScalars scalars = ScalarsOf(*rule, settings, {.step = 1, .rate = 1});
#ifndef PODSIM_MODELS_RULES_UPDATE_RULES_H_
#define PODSIM_MODELS_RULES_UPDATE_RULES_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "models/rules/rule.h"

namespace podsim {

// What Direction and Apply do to an element, weight decay included where the
// rule has it; a trust ratio, which stands between the two, is not in it.
struct RuleWork {
  int flops = 0;  // additions, subtractions, multiplications, divisions
  int roots = 0;
};

struct UpdateRule {
  RuleInfo info;
  // The rule's own scalars, from kOwn on.
  void (*scalars)(const RuleSettings& settings, const StepMoment& moment,
                  double* out) = nullptr;
  RuleWork (*work)(bool decays) = nullptr;
};

// In the order of rules.h.
std::span<const UpdateRule> UpdateRules();

// Null if there is none of that name.
const UpdateRule* FindUpdateRule(std::string_view name);
// Its place in UpdateRules(). REQUIRES: it is one of them.
std::int32_t NumberOf(const UpdateRule& rule);

// "sgd, momentum, ...".
std::string UpdateRuleNames();

// A setting that a rule may read: "beta1", where it stands, and its bounds
// [0, below), without 0 and what float32 takes for it where `positive`.
struct RuleSetting {
  const char* name;
  RuleReads bit;
  double RuleSettings::*value;
  double below;
  bool positive;
};
std::span<const RuleSetting> RuleSettingTable();

// What the rule reads is within its bounds, what it does not read is at its
// default. Errors: INVALID_ARGUMENT, one line with setting and value.
absl::Status CheckRuleSettings(const UpdateRule& rule,
                               const RuleSettings& settings);

// In float64, and rounded to float32 once. Pure, with the same bits on every
// machine. REQUIRES: moment.step >= 1.
using UpdateScalars = std::array<float, kMostScalars>;
UpdateScalars ScalarsOf(const UpdateRule& rule, const RuleSettings& settings,
                        const StepMoment& moment);

}  // namespace podsim

#endif  // PODSIM_MODELS_RULES_UPDATE_RULES_H_
