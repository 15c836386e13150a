// The update of a Program, made of a rule (models/rules/) and what stands
// around it: slots, weight decay with its exclusions, clipping.
#ifndef PODSIM_MODELS_OPTIMIZER_OPTIMIZER_H_
#define PODSIM_MODELS_OPTIMIZER_OPTIMIZER_H_

#include "absl/status/status.h"
#include "models/graph/compile.h"

namespace podsim {

// An UpdateBuilder: the rule that `options` names, for every variable of every
// bucket, with the rule's slots "<variable>/<slot>" behind the variables. "sgd"
// with a momentum is the rule "momentum".
// Errors: INVALID_ARGUMENT (unknown rule, naming the known ones; a number out
//   of bounds, or one that the rule does not read; weight_decay_exclude that
//   leaves out nothing).
absl::Status Optimizer(const CompileOptions& options, Program& program);

}  // namespace podsim

#endif  // PODSIM_MODELS_OPTIMIZER_OPTIMIZER_H_
