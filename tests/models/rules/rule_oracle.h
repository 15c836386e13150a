// A whole update of one variable by any rule of the table, one element after
// the other in bounded numbers: what the kernels and the executor are held to.
#ifndef PODSIM_TESTS_MODELS_RULES_RULE_ORACLE_H_
#define PODSIM_TESTS_MODELS_RULES_RULE_ORACLE_H_

#include <cstddef>
#include <vector>

#include "models/rules/rules.h"
#include "models/rules/update_rules.h"
#include "tests/models/rules/bounded.h"

namespace podsim::testing {

// fn(Rule()) for the rule of that number.
template <typename Fn, typename... Rule>
void VisitRule(RuleList<Rule...>, std::int32_t number, const Fn& fn) {
  std::int32_t at = 0;
  ((at++ == number ? fn(Rule()) : void()), ...);
}

struct OracleVariable {
  std::vector<Bounded> weights;
  std::vector<Bounded> slots[kMostSlots];  // of all sizes, used or not
};

// Of float32 numbers in float64, whose own rounding is far below float32's. By
// the triangle inequality the norm is off by at most the norm of what its
// numbers are off by.
inline Bounded NormOf(const std::vector<Bounded>& values) {
  double squares = 0;
  double bounds = 0;
  for (const Bounded& x : values) {
    squares += x.value * x.value;
    bounds += x.bound * x.bound;
  }
  return Rounded({std::sqrt(squares), std::sqrt(bounds)});
}

template <typename Rule, bool kDecays>
void OracleUpdate(const std::vector<Bounded>& scalars, bool trusts,
                  double coefficient, std::vector<Bounded> u,
                  OracleVariable& variable) {
  std::vector<Bounded>& w = variable.weights;
  auto& slots = variable.slots;
  const auto keep = [&](std::size_t i, const Element<Bounded>& made) {
    if (Rule::kInfo.slot_count > 0) slots[0][i] = made.slot0;
    if (Rule::kInfo.slot_count > 1) slots[1][i] = made.slot1;
    return made.value;
  };
  for (std::size_t i = 0; i < w.size(); ++i)
    u[i] = keep(i, DecayedDirection<Rule, kDecays>(
                       scalars.data(), u[i], slots[0][i], slots[1][i], w[i]));
  if (trusts) {
    const Bounded of_weights = NormOf(w);
    const Bounded of_update = NormOf(u);
    Bounded ratio = {1, 0};
    if (of_weights.value != 0 && of_update.value != 0)
      ratio = Bounded{coefficient, 0} * of_weights / of_update;
    for (Bounded& each : u) each = ratio * each;
  }
  for (std::size_t i = 0; i < w.size(); ++i)
    w[i] = keep(
        i, Rule::Apply(scalars.data(), u[i], slots[0][i], slots[1][i], w[i]));
}

// `scalars` are those of the step, exact.
inline void OracleUpdate(std::int32_t rule, bool decays, bool trusts,
                         const UpdateScalars& scalars, double coefficient,
                         const std::vector<Bounded>& gradient,
                         OracleVariable& variable) {
  std::vector<Bounded> exact;
  for (const float scalar : scalars) exact.push_back({scalar, 0});
  VisitRule(Rules(), rule, [&]<typename Rule>(const Rule&) {
    if (decays)
      OracleUpdate<Rule, true>(exact, trusts, coefficient, gradient, variable);
    else
      OracleUpdate<Rule, false>(exact, trusts, coefficient, gradient, variable);
  });
}

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_MODELS_RULES_RULE_ORACLE_H_
