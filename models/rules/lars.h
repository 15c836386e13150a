// Layer-wise adaptive rate scaling, as optax.lars (eps 0, no Nesterov):
//   u = g + weight_decay * w
//   r = trust_coefficient * |w| / |u|, 1 where a norm is 0
//   v = momentum * v + rate * (r * u)
//   w = w - v
// Defaults momentum 0.9, trust_coefficient 0.001, weight_decay 0. v is scaled
// by the rate already, unlike momentum's slot, and so is called otherwise.
// [You, Gitman and Ginsburg, Large batch training of convolutional networks,
// 2017; optax 0.2, _src/alias.py: lars, _src/transform.py:
// scale_by_trust_ratio]
#ifndef PODSIM_MODELS_RULES_LARS_H_
#define PODSIM_MODELS_RULES_LARS_H_

#include "models/rules/sgd.h"

namespace podsim {

struct Lars : Sgd {
  static constexpr RuleInfo kInfo = {
      .name = "lars",
      .slot_count = 1,
      .slots = {"velocity"},
      .reads = kReadsMomentum | kReadsWeightDecay | kReadsTrustCoefficient,
      .defaults = {.momentum = 0.9, .trust_coefficient = 0.001},
      .decay = RuleDecay::kOfGradient,
      .layer_wise = true};
  enum : int { kMomentum = kOwn };

  static constexpr void Scalars(const RuleSettings& settings,
                                const StepMoment& /*moment*/, double* out) {
    out[kMomentum] = settings.momentum;
  }

  template <typename T>
  static Element<T> Apply(const T* scalars, T u, T v, T slot1, T w) {
    const T moved = scalars[kMomentum] * v + scalars[kRate] * u;
    return {w - moved, moved, slot1};
  }
};

}  // namespace podsim

#endif  // PODSIM_MODELS_RULES_LARS_H_
