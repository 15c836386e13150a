// A graph computed by the ops' references, in double, op by op.
#ifndef PODSIM_TESTS_MODELS_COMPOSITES_GRAPH_VALUES_H_
#define PODSIM_TESTS_MODELS_COMPOSITES_GRAPH_VALUES_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "models/graph/gradient.h"
#include "models/graph/graph.h"
#include "models/ops/reference.h"
#include "models/ops/tensor.h"

namespace podsim::testing {

class GraphValues {
 public:
  // Numbers for every input and variable, from [-1, 1) and seeded; integers
  // are 0 until they are set.
  GraphValues(const Graph& graph, std::int64_t batch_rows)
      : graph_(graph), rows_(batch_rows) {
    std::mt19937 random(20240501);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (std::int32_t id = 0; id < Count(); ++id) {
      const GraphValue& value = graph.values()[static_cast<std::size_t>(id)];
      if (value.kind == ValueKind::kComputed) continue;
      Tensor& tensor = given_.try_emplace(id, value.type, rows_).first->second;
      if (value.type.dtype != DType::kFloat32) continue;
      for (double& number : tensor.values) number = uniform(random);
    }
  }

  Tensor& at(Value value) { return given_.at(value.id); }

  // All values that `wanted` need.
  Tensor Compute(Value wanted) const { return ComputeOn(graph_, wanted); }

  // d(sum of loss)/d(variable), by the graph's gradients. `loss` is [B]; the
  // examples' weights must be 1.
  Tensor Gradient(Value loss, Value weights, Value variable) const {
    Graph full = graph_;
    const auto gradients = AppendGradients(full, loss, weights);
    EXPECT_TRUE(gradients.ok()) << gradients.status();
    if (gradients.ok())
      for (const VariableValue& pair : *gradients)
        if (pair.variable == variable) return ComputeOn(full, pair.value);
    return {graph_.type(variable), rows_};
  }

  // The same by central differences.
  Tensor Differences(Value loss, Value variable) {
    constexpr double kStep = 1e-5;
    Tensor result(graph_.type(variable), rows_);
    const auto sum = [&] {
      double total = 0;
      for (const double number : Compute(loss).values) total += number;
      return total;
    };
    for (std::size_t i = 0; i < result.values.size(); ++i) {
      double& number = at(variable).values[i];
      const double kept = number;
      number = kept + kStep;
      const double above = sum();
      number = kept - kStep;
      const double below = sum();
      number = kept;
      result.values[i] = (above - below) / (2 * kStep);
    }
    return result;
  }

  // Of every variable.
  void CheckGradients(Value loss, Value weights) {
    for (double& weight : at(weights).values) weight = 1;
    for (std::int32_t id = 0; id < Count(); ++id) {
      const GraphValue& value = graph_.values()[static_cast<std::size_t>(id)];
      if (value.kind != ValueKind::kVariable) continue;
      const Tensor known = Gradient(loss, weights, {id});
      const Tensor differences = Differences(loss, {id});
      for (std::size_t i = 0; i < known.values.size(); ++i)
        EXPECT_NEAR(known.values[i], differences.values[i], 1e-7)
            << value.name << "[" << i << "]";
    }
  }

 private:
  std::int32_t Count() const {
    return static_cast<std::int32_t>(graph_.values().size());
  }

  Tensor ComputeOn(const Graph& graph, Value wanted) const {
    std::map<std::int32_t, Tensor> known = given_;
    for (const GraphNode& node : graph.nodes()) {
      std::vector<Tensor> inputs;
      for (const Value input : node.inputs)
        inputs.push_back(known.at(input.id));
      const std::vector<Tensor> outputs =
          Evaluate(EntryOf(node.op), inputs, node.attributes, rows_);
      for (std::size_t i = 0; i < outputs.size(); ++i)
        known.insert_or_assign(node.outputs[i].id, outputs[i]);
    }
    return known.at(wanted.id);
  }

  const Graph& graph_;
  const std::int64_t rows_;
  std::map<std::int32_t, Tensor> given_;
};

// Of x [B, ...], the sum over all but B: a loss [B] that depends on every
// element of x in a way of its own.
inline Value WeighedSum(Graph& graph, Value x) {
  const Shape shape = graph.type(x).shape;
  const Value weights =
      graph.Input("loss_weights", DType::kFloat32,
                  {{shape.dims.begin() + 1, shape.dims.end()}});
  const Value product = graph.Apply(OpCode("multiply"), {x, weights})[0];
  OpAttributes attributes;
  attributes.word = "add";
  for (std::int64_t dim = 1; dim < shape.rank(); ++dim)
    attributes.lists["dimensions"].push_back(dim);
  return graph.Apply(OpCode("reduce"), {product}, attributes)[0];
}

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_MODELS_COMPOSITES_GRAPH_VALUES_H_
