// What a model says of its cores' examples as a whole, in terms of each example
// and of all of them.
#ifndef PODSIM_MODELS_GRAPH_OWN_GRADIENTS_H_
#define PODSIM_MODELS_GRAPH_OWN_GRADIENTS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "models/graph/compile.h"
#include "models/graph/graph.h"

namespace podsim {

// `input` with a loss, metrics and an evaluation's values that are one float32
// for each core repeated for each of its examples.
CompileInput PerExample(Graph& graph, const CompileInput& input);

// The gradients of all cores' weighted loss: derived, or the model's own times
// each core's share, which is the sum of its examples' weights, and so known
// before the pass; behind them what states become, in the same way. In the
// order of the variables; computed values that nothing else reads. The nodes
// for the model's own are appended behind all others; where they run, Compile
// decides (models/graph/move_up.h). Errors: those of AppendGradients.
absl::StatusOr<std::vector<VariableValue>> GradientsOf(
    Graph& graph, const CompileInput& input);

}  // namespace podsim

#endif  // PODSIM_MODELS_GRAPH_OWN_GRADIENTS_H_
