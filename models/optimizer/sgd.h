// Stochastic gradient descent as an update rule of Compile:
//   variable = variable - rate * gradient
// and with a momentum
//   v = momentum * v + gradient;  variable = variable - rate * v
// where the rate comes with each step (host/core/core.h, StepScalars).
#ifndef PODSIM_MODELS_OPTIMIZER_SGD_H_
#define PODSIM_MODELS_OPTIMIZER_SGD_H_

#include "absl/status/status.h"
#include "models/graph/compile.h"

namespace podsim {

// An UpdateRule. Where the momentum is not 0, each variable gets a slot
// "<variable>/momentum". Errors: INVALID_ARGUMENT (momentum outside [0, 1)).
absl::Status Sgd(const CompileOptions& options, Program& program);

}  // namespace podsim

#endif  // PODSIM_MODELS_OPTIMIZER_SGD_H_
