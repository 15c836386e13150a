// Adam, as optax.adam (eps outside of the root, eps_root 0); t counts steps
// from 1:
//   mu = b1 * mu + (1 - b1) * g
//   nu = b2 * nu + (1 - b2) * g^2
//   u = mu / (1 - b1^t) / (sqrt(nu / (1 - b2^t)) + eps)
//   w = w - rate * u
// Defaults b1 0.9, b2 0.999, eps 1e-8. The two corrections of a step are made
// in float64, as factors. No weight decay: that is adamw.
// [Kingma and Ba, Adam, 2015, algorithm 1; optax 0.2, _src/alias.py: adam,
// _src/transform.py: scale_by_adam]
#ifndef PODSIM_MODELS_RULES_ADAM_H_
#define PODSIM_MODELS_RULES_ADAM_H_

#include "models/rules/sgd.h"

namespace podsim {

struct Adam : Sgd {
  static constexpr RuleInfo kInfo = {
      .name = "adam",
      .slot_count = 2,
      .slots = {"mu", "nu"},
      .reads = kReadsBeta1 | kReadsBeta2 | kReadsEpsilon,
      .defaults = {.beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8}};
  enum : int {
    kBeta1 = kOwn,
    kRest1,     // 1 - b1
    kCorrect1,  // 1 / (1 - b1^t)
    kBeta2,
    kRest2,
    kCorrect2,
    kEpsilon
  };

  static constexpr void Scalars(const RuleSettings& settings,
                                const StepMoment& moment, double* out) {
    out[kBeta1] = settings.beta1;
    out[kRest1] = 1 - settings.beta1;
    out[kCorrect1] = 1 / (1 - WholePower(settings.beta1, moment.step));
    out[kBeta2] = settings.beta2;
    out[kRest2] = 1 - settings.beta2;
    out[kCorrect2] = 1 / (1 - WholePower(settings.beta2, moment.step));
    out[kEpsilon] = settings.epsilon;
  }

  template <typename T>
  static Element<T> Direction(const T* scalars, T g, T mu, T nu) {
    mu = scalars[kBeta1] * mu + scalars[kRest1] * g;
    nu = scalars[kBeta2] * nu + scalars[kRest2] * (g * g);
    const T size = SquareRoot(scalars[kCorrect2] * nu) + scalars[kEpsilon];
    return {scalars[kCorrect1] * mu / size, mu, nu};
  }
};

}  // namespace podsim

#endif  // PODSIM_MODELS_RULES_ADAM_H_
