// SGD with a momentum, as optax.sgd(momentum=...):
//   v = momentum * v + g
//   u = v
//   w = w - rate * u
// optax gives no default; 0.9 is what the papers use [Sutskever et al., On the
// importance of initialization and momentum in deep learning, 2013; optax 0.2,
// _src/transform.py: trace].
#ifndef PODSIM_MODELS_RULES_MOMENTUM_H_
#define PODSIM_MODELS_RULES_MOMENTUM_H_

#include "models/rules/sgd.h"

namespace podsim {

struct Momentum : Sgd {
  static constexpr RuleInfo kInfo = {
      .name = "momentum",
      .slot_count = 1,
      .slots = {"momentum"},
      .reads = kReadsMomentum | kReadsWeightDecay,
      .defaults = {.momentum = 0.9},
      .decay = RuleDecay::kOfGradient};
  enum : int { kMomentum = kOwn };

  static constexpr void Scalars(const RuleSettings& settings,
                                const StepMoment& /*moment*/, double* out) {
    out[kMomentum] = settings.momentum;
  }

  template <typename T>
  static Element<T> Direction(const T* scalars, T g, T v, T slot1) {
    const T moved = scalars[kMomentum] * v + g;
    return {moved, moved, slot1};
  }
};

}  // namespace podsim

#endif  // PODSIM_MODELS_RULES_MOMENTUM_H_
