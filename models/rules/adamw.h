// Adam with weight decay beside the gradient's moments, as optax.adamw:
//   u = (adam's u) + weight_decay * w
//   w = w - rate * u
// Default of the decay 1e-4, the rest as adam's. [Loshchilov and Hutter,
// Decoupled weight decay regularization, 2019; optax 0.2, _src/alias.py: adamw]
#ifndef PODSIM_MODELS_RULES_ADAMW_H_
#define PODSIM_MODELS_RULES_ADAMW_H_

#include "models/rules/adam.h"

namespace podsim {

struct AdamW : Adam {
  static constexpr RuleInfo kInfo = {
      .name = "adamw",
      .slot_count = 2,
      .slots = {"mu", "nu"},
      .reads = kReadsBeta1 | kReadsBeta2 | kReadsEpsilon | kReadsWeightDecay,
      .defaults = {.beta1 = 0.9,
                   .beta2 = 0.999,
                   .epsilon = 1e-8,
                   .weight_decay = 1e-4},
      .decay = RuleDecay::kOfUpdate};
};

}  // namespace podsim

#endif  // PODSIM_MODELS_RULES_ADAMW_H_
