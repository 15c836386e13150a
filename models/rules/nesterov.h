// SGD with Nesterov's momentum, as optax.sgd(momentum=..., nesterov=True):
//   v = momentum * v + g
//   u = momentum * v + g
//   w = w - rate * u
// The slot means what momentum's does. [optax 0.2, _src/transform.py: trace]
#ifndef PODSIM_MODELS_RULES_NESTEROV_H_
#define PODSIM_MODELS_RULES_NESTEROV_H_

#include "models/rules/momentum.h"

namespace podsim {

struct Nesterov : Momentum {
  static constexpr RuleInfo kInfo = {
      .name = "nesterov",
      .slot_count = 1,
      .slots = {"momentum"},
      .reads = kReadsMomentum | kReadsWeightDecay,
      .defaults = {.momentum = 0.9},
      .decay = RuleDecay::kOfGradient};

  template <typename T>
  static Element<T> Direction(const T* scalars, T g, T v, T slot1) {
    const T moved = scalars[kMomentum] * v + g;
    return {scalars[kMomentum] * moved + g, moved, slot1};
  }
};

}  // namespace podsim

#endif  // PODSIM_MODELS_RULES_NESTEROV_H_
