// Stochastic gradient descent, as optax.sgd without a momentum:
//   u = g
//   w = w - rate * u
// Weight decay is added to the gradient. [optax 0.2, _src/alias.py: sgd;
// transforms/_adding.py: add_decayed_weights]
#ifndef PODSIM_MODELS_RULES_SGD_H_
#define PODSIM_MODELS_RULES_SGD_H_

#include "models/rules/rule.h"

namespace podsim {

struct Sgd {
  static constexpr RuleInfo kInfo = {.name = "sgd",
                                     .reads = kReadsWeightDecay,
                                     .decay = RuleDecay::kOfGradient};

  static constexpr void Scalars(const RuleSettings& /*settings*/,
                                const StepMoment& /*moment*/, double* /*out*/) {
  }

  template <typename T>
  static Element<T> Direction(const T* /*scalars*/, T g, T slot0, T slot1) {
    return {g, slot0, slot1};
  }

  template <typename T>
  static Element<T> Apply(const T* scalars, T u, T slot0, T slot1, T w) {
    return {w - scalars[kRate] * u, slot0, slot1};
  }
};

}  // namespace podsim

#endif  // PODSIM_MODELS_RULES_SGD_H_
