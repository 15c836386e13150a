#include "models/graph/own_gradients.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "models/graph/core_sums.h"
#include "models/graph/gradient.h"

namespace podsim {
namespace {

// A scalar in each element of `shape`.
Value Spread(Graph& graph, Value scalar, const Shape& shape,
             const std::string& name) {
  if (graph.type(scalar).shape == shape) return scalar;
  OpAttributes attributes;
  attributes.shape = shape;
  attributes.lists["broadcast_dimensions"] = {};
  return graph.Apply(OpCode("broadcast_in_dim"), {scalar},
                     std::move(attributes), name)[0];
}

void SpreadOverExamples(Graph& graph, Value& value) {
  if (!graph.Owns(value)) return;  // Compile refuses it
  const ValueType type = graph.type(value);
  if (type.dtype != DType::kFloat32 || type.shape != Shape{}) return;
  value = Spread(graph, value, WithBatch({}),
                 absl::StrCat(graph.value(value).name, "/of_each"));
}

// Sums over cores what each has, times its share.
Value SharedSum(Graph& graph, Value share, Value value) {
  const std::string name = graph.value(value).name;
  const Value factor = Spread(graph, share, graph.type(value).shape,
                              absl::StrCat(name, "/share"));
  const Value part = graph.Apply(OpCode("multiply"), {value, factor}, {},
                                 absl::StrCat(name, "/part"))[0];
  return graph.Apply(OpCode::kCoreSum, {part}, {},
                     absl::StrCat(name, "/core_sum"))[0];
}

Value ShareOf(Graph& graph, Value weights) {
  OpAttributes attributes;
  attributes.word = "add";
  attributes.lists["dimensions"] = {0};
  return graph.Apply(OpCode("reduce"), {weights}, std::move(attributes),
                     "weights/share")[0];
}

// Training batches are full, so that the cores' shares are equal: the sum over
// cores of what each has, times the share that each core of the host has.
std::vector<VariableValue> SharedSums(Graph& graph, Value weights,
                                      const std::vector<VariableValue>& own) {
  const Value share = ShareOf(graph, weights);
  std::vector<Value> of_cores;
  for (const VariableValue& pair : own)
    if (graph.type(pair.value).per_core) of_cores.push_back(pair.value);
  CoreSums sums(graph, of_cores);
  std::vector<VariableValue> pairs;
  Value of_each = kNone;
  for (const auto& [variable, value] : own) {
    if (!graph.type(value).per_core) {
      pairs.push_back({variable, SharedSum(graph, share, value)});
      continue;
    }
    if (!of_each.present())
      of_each = graph.Apply(
          OpCode("divide"),
          {graph.Apply(OpCode::kCoreSum, {share}, {}, "weights/host_share")[0],
           sums.Count()},
          {}, "weights/core_share")[0];
    pairs.push_back(
        {variable, Scaled(graph, sums.Of(value), of_each,
                          absl::StrCat(graph.value(value).name, "/shared"))});
  }
  return pairs;
}

}  // namespace

CompileInput PerExample(Graph& graph, const CompileInput& input) {
  CompileInput result = input;
  SpreadOverExamples(graph, result.loss);
  for (MetricInput& metric : result.metrics)
    SpreadOverExamples(graph, metric.value);
  for (EvaluationValue& each : result.evaluation)
    SpreadOverExamples(graph, each.value);
  return result;
}

absl::StatusOr<std::vector<VariableValue>> GradientsOf(
    Graph& graph, const CompileInput& input) {
  std::vector<VariableValue> pairs;
  if (input.gradients.empty()) {
    PODSIM_ASSIGN_OR_RETURN(pairs,
                            AppendGradients(graph, input.loss, input.weights));
  }
  std::vector<VariableValue> own = input.gradients;
  own.insert(own.end(), input.states.begin(), input.states.end());
  if (!own.empty()) {
    for (const VariableValue& pair : SharedSums(graph, input.weights, own))
      pairs.push_back(pair);
  }
  PODSIM_RETURN_IF_ERROR(graph.status());
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const VariableValue& a, const VariableValue& b) {
                     return a.variable.id < b.variable.id;
                   });
  return pairs;
}

}  // namespace podsim
