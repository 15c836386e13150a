// Reverse-mode differentiation: appends to a graph the ops that compute the
// gradient of the loss with respect to every variable.
#ifndef PODSIM_MODELS_GRAPH_GRADIENT_H_
#define PODSIM_MODELS_GRAPH_GRADIENT_H_

#include <vector>

#include "absl/status/statusor.h"
#include "models/graph/graph.h"

namespace podsim {

// Differentiates sum over rows of weights[row] * loss[row]; both are [B]. The
// result has one entry per variable that is trained, in the order of the
// variables. A gradient is a computed value that nothing else reads and no two
// variables share, so that it can live in the gradient arena. Errors:
// INVALID_ARGUMENT (a variable that does not reach the loss),
//   UNIMPLEMENTED (an op on the way that has no gradient).
absl::StatusOr<std::vector<VariableValue>> AppendGradients(Graph& graph,
                                                           Value loss,
                                                           Value weights);

}  // namespace podsim

#endif  // PODSIM_MODELS_GRAPH_GRADIENT_H_
