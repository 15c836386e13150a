// Gradients of weights and biases are appended before those of activations, so
// that a bucket is complete as early as possible.
#include "models/graph/op_gradients.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "models/graph/graph.h"

namespace podsim {
namespace {

// "dense_0/matmul" -> "dense_0/matmul/grad_weight".
std::string Named(const Graph& graph, const GraphNode& node, const char* what) {
  return absl::StrCat(graph.value(node.outputs[0]).name, "/", what);
}

Value ApplyTo(Graph& graph, OpCode op, std::vector<Value> inputs,
              const std::string& name, OpAttributes attributes = {}) {
  return graph.Apply(op, std::move(inputs), std::move(attributes), name)[0];
}

}  // namespace

InputGradients MatMulGradient(Graph& graph, const GraphNode& node,
                              std::span<const Value> dy) {
  const Value x = node.inputs[0];
  const Value w = node.inputs[1];
  const Value dw = ApplyTo(graph, OpCode::kMatMulGradWeight, {x, dy[0]},
                           Named(graph, node, "grad_weight"));
  const Value dx = ApplyTo(graph, OpCode::kMatMulGradInput, {dy[0], w},
                           Named(graph, node, "grad_input"));
  return std::vector{dx, dw};
}

InputGradients AddBiasGradient(Graph& graph, const GraphNode& node,
                               std::span<const Value> dy) {
  return std::vector{dy[0], ApplyTo(graph, OpCode::kBiasGrad, {dy[0]},
                                    Named(graph, node, "grad_bias"))};
}

InputGradients ReluGradient(Graph& graph, const GraphNode& node,
                            std::span<const Value> dy) {
  return std::vector{ApplyTo(graph, OpCode::kReluGrad, {dy[0], node.outputs[0]},
                             Named(graph, node, "grad"))};
}

InputGradients AddGradient(Graph& /*graph*/, const GraphNode& /*node*/,
                           std::span<const Value> dy) {
  return std::vector{dy[0], dy[0]};
}

InputGradients ReshapeGradient(Graph& graph, const GraphNode& node,
                               std::span<const Value> dy) {
  OpAttributes attributes;
  attributes.shape = graph.type(node.inputs[0]).shape;
  return std::vector{ApplyTo(graph, OpCode::kReshape, {dy[0]},
                             Named(graph, node, "grad"),
                             std::move(attributes))};
}

InputGradients SoftmaxXentGradient(Graph& graph, const GraphNode& node,
                                   std::span<const Value> dy) {
  if (dy[0].present() || dy[2].present())
    return absl::UnimplementedError(absl::StrCat(
        graph.value(node.outputs[1]).name,
        ": only the loss of SoftmaxXent has a gradient, not the probabilities "
        "or the count of correct rows"));
  const Value labels = node.inputs[1];
  return std::vector{
      ApplyTo(graph, OpCode::kSoftmaxXentGrad, {node.outputs[0], labels, dy[1]},
              Named(graph, node, "grad")),
      kNone};
}

}  // namespace podsim
