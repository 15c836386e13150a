// Stochastic gradient descent with momentum, as an update rule of Compile:
//   v = momentum * v + gradient;  variable = variable - rate * v
// where the rate comes with each step (host/core/core.h, StepScalars).
#ifndef PODSIM_MODELS_OPTIMIZER_SGD_H_
#define PODSIM_MODELS_OPTIMIZER_SGD_H_

#include "absl/status/status.h"
#include "models/graph/compile.h"

namespace podsim {

// An UpdateRule. Each variable gets a slot "<variable>/momentum", also when the
// momentum is 0. Errors: INVALID_ARGUMENT (momentum outside [0, 1)).
absl::Status SgdMomentum(const CompileOptions& options, Program& program);

}  // namespace podsim

#endif  // PODSIM_MODELS_OPTIMIZER_SGD_H_
