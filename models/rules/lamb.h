// Layer-wise adaptive moments, as optax.lamb:
//   u = (adam's u) + weight_decay * w
//   r = |w| / |u|, 1 where a norm is 0
//   w = w - rate * (r * u)
// Defaults b1 0.9, b2 0.999, eps 1e-6, weight_decay 0. [You et al., Large batch
// optimization for deep learning: training BERT in 76 minutes, 2020; optax 0.2,
// _src/alias.py: lamb]
#ifndef PODSIM_MODELS_RULES_LAMB_H_
#define PODSIM_MODELS_RULES_LAMB_H_

#include "models/rules/adam.h"

namespace podsim {

struct Lamb : Adam {
  static constexpr RuleInfo kInfo = {
      .name = "lamb",
      .slot_count = 2,
      .slots = {"mu", "nu"},
      .reads = kReadsBeta1 | kReadsBeta2 | kReadsEpsilon | kReadsWeightDecay,
      .defaults = {.beta1 = 0.9,
                   .beta2 = 0.999,
                   .epsilon = 1e-6,
                   .trust_coefficient = 1},
      .decay = RuleDecay::kOfUpdate,
      .layer_wise = true};
};

}  // namespace podsim

#endif  // PODSIM_MODELS_RULES_LAMB_H_
