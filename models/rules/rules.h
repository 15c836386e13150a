// The update rules that there are: a new one is its header and a line here (and
// its word in proto/words.proto, which is the flag's). Its place in the list is
// its number in Programs and kernel tables.
#ifndef PODSIM_MODELS_RULES_RULES_H_
#define PODSIM_MODELS_RULES_RULES_H_

#include "models/rules/adam.h"
#include "models/rules/adamw.h"
#include "models/rules/lamb.h"
#include "models/rules/lars.h"
#include "models/rules/momentum.h"
#include "models/rules/nesterov.h"
#include "models/rules/sgd.h"

namespace podsim {

template <typename... Rule>
struct RuleList {
  static constexpr int kCount = sizeof...(Rule);
};

using Rules = RuleList<Sgd,       //
                       Momentum,  //
                       Nesterov,  //
                       Adam,      //
                       AdamW,     //
                       Lars,      //
                       Lamb>;

}  // namespace podsim

#endif  // PODSIM_MODELS_RULES_RULES_H_
