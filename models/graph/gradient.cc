#include "models/graph/gradient.h"

#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace podsim {
namespace {

// d(loss)/d(value) by value id, absent where nothing has reached it.
class GradientTable {
 public:
  explicit GradientTable(Graph& graph) : graph_(graph) {}

  Value Of(Value value) const {
    const auto index = static_cast<std::size_t>(value.id);
    return index < gradients_.size() ? gradients_[index] : kNone;
  }

  // A value that several ops read gets the sum of what they ask for; one that
  // all cores share, what the cores ask for together.
  void Accumulate(Value value, Value gradient) {
    if (!gradient.present()) return;
    if (graph_.type(gradient).per_core && !graph_.type(value).per_core)
      gradient = OverCores(gradient);
    const auto index = static_cast<std::size_t>(value.id);
    if (index >= gradients_.size()) gradients_.resize(index + 1);
    Value& sum = gradients_[index];
    sum = sum.present()
              ? graph_.Add(sum, gradient,
                           absl::StrCat(graph_.value(value).name, "/grad_sum"))
              : gradient;
  }

 private:
  // Cores are summed in float32.
  Value OverCores(Value gradient) {
    const DType dtype = graph_.type(gradient).dtype;
    const Value sum = graph_.Apply(
        OpCode::kCoreSum, {graph_.Converted(gradient, DType::kFloat32)}, {},
        graph_.value(gradient).name + "/core_sum")[0];
    return graph_.Converted(sum, dtype);
  }

  Graph& graph_;
  std::vector<Value> gradients_;
};

// Appends to a graph what the gradient rule of one of its ops asks for, under
// that op's name: "dense_0/matmul" -> "dense_0/matmul/grad_weight".
class NodeGradient final : public GradientBuilder {
 public:
  NodeGradient(Graph& graph, std::string node)
      : graph_(graph), node_(std::move(node)) {}

  using GradientBuilder::Apply;
  Value Apply(OpCode op, std::vector<Value> inputs, const std::string& role,
              OpAttributes attributes) override {
    return graph_.Apply(op, std::move(inputs), std::move(attributes),
                        absl::StrCat(node_, "/", role))[0];
  }

  const ValueType& type(Value value) const override {
    return graph_.type(value);
  }

 private:
  Graph& graph_;
  const std::string node_;
};

absl::Status Differentiate(Graph& graph, GradientTable& table,
                           const GraphNode& node) {
  std::vector<Value> output_gradients;
  bool reached = false;
  for (const Value output : node.outputs) {
    output_gradients.push_back(table.Of(output));
    reached = reached || output_gradients.back().present();
  }
  if (!reached) return absl::OkStatus();
  const OpEntry& entry = EntryOf(node.op);
  if (entry.stops_gradient) return absl::OkStatus();
  const std::string name = graph.value(node.outputs[0]).name;
  if (entry.gradient == nullptr)
    return absl::UnimplementedError(absl::StrCat(
        name, ": ", entry.name, " has no gradient but the loss depends on it"));
  NodeGradient builder(graph, name);
  const InputGradients input_gradients = entry.gradient(
      builder, {node.inputs, node.outputs, node.attributes}, output_gradients);
  if (!input_gradients.ok()) return Annotate(input_gradients.status(), name);
  for (std::size_t i = 0; i < node.inputs.size(); ++i)
    table.Accumulate(node.inputs[i], (*input_gradients)[i]);
  return graph.status();
}

// How many times each value is read, by ops or as a variable's gradient.
std::vector<int> CountReaders(const Graph& graph, const GradientTable& table) {
  std::vector<int> readers(graph.values().size());
  for (const GraphNode& node : graph.nodes())
    for (const Value input : node.inputs)
      ++readers[static_cast<std::size_t>(input.id)];
  for (std::size_t id = 0; id < readers.size(); ++id) {
    if (graph.values()[id].kind != ValueKind::kVariable) continue;
    const Value gradient = table.Of({static_cast<std::int32_t>(id)});
    if (gradient.present()) ++readers[static_cast<std::size_t>(gradient.id)];
  }
  return readers;
}

}  // namespace

absl::StatusOr<std::vector<VariableValue>> AppendGradients(Graph& graph,
                                                           Value loss,
                                                           Value weights) {
  const ComputesIn as_given(graph, DType::kFloat32);  // rules say all types
  GradientTable table(graph);
  table.Accumulate(loss, weights);
  const std::size_t forward_nodes = graph.nodes().size();
  for (std::size_t i = forward_nodes; i-- > 0;) {
    const GraphNode node = graph.nodes()[i];  // a copy: nodes are appended
    PODSIM_RETURN_IF_ERROR(Differentiate(graph, table, node));
  }

  const std::vector<int> readers = CountReaders(graph, table);
  std::vector<VariableValue> result;
  for (std::int32_t id = 0; id < static_cast<int>(readers.size()); ++id) {
    const Value variable{id};
    const GraphValue& known = graph.value(variable);
    if (known.kind != ValueKind::kVariable || known.is_state) continue;
    Value gradient = table.Of(variable);
    if (!gradient.present())
      return absl::InvalidArgumentError(absl::StrCat(
          "model ", graph.name(), ": variable ", graph.value(variable).name,
          " does not reach the loss, so it cannot be trained; remove it"));
    const bool own = graph.value(gradient).kind == ValueKind::kComputed &&
                     readers[static_cast<std::size_t>(gradient.id)] == 1;
    if (!own)
      gradient =
          graph.Reshape(gradient, graph.type(variable).shape,
                        absl::StrCat(graph.value(variable).name, "/grad_copy"));
    result.push_back({variable, gradient});
  }
  PODSIM_RETURN_IF_ERROR(graph.status());
  return result;
}

}  // namespace podsim
