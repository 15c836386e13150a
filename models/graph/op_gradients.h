// Reverse-mode rules of the differentiable ops. See OpEntry::gradient.
#ifndef PODSIM_MODELS_GRAPH_OP_GRADIENTS_H_
#define PODSIM_MODELS_GRAPH_OP_GRADIENTS_H_

#include <span>
#include <vector>

#include "absl/status/statusor.h"

namespace podsim {

class Graph;
struct GraphNode;
struct Value;

using InputGradients = absl::StatusOr<std::vector<Value>>;

InputGradients MatMulGradient(Graph& graph, const GraphNode& node,
                              std::span<const Value> dy);
InputGradients AddBiasGradient(Graph& graph, const GraphNode& node,
                               std::span<const Value> dy);
InputGradients ReluGradient(Graph& graph, const GraphNode& node,
                            std::span<const Value> dy);
InputGradients AddGradient(Graph& graph, const GraphNode& node,
                           std::span<const Value> dy);
InputGradients ReshapeGradient(Graph& graph, const GraphNode& node,
                               std::span<const Value> dy);
InputGradients SoftmaxXentGradient(Graph& graph, const GraphNode& node,
                                   std::span<const Value> dy);

}  // namespace podsim

#endif  // PODSIM_MODELS_GRAPH_OP_GRADIENTS_H_
