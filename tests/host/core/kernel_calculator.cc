#include "tests/host/core/kernel_calculator.h"

#include <cstddef>
#include <utility>

#include "tests/host/core/core_fixture.h"
#include "tests/host/core/one_op.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

// A graph's values, or their gradients, in a calculator.
using Known = std::map<std::int32_t, Value>;

std::vector<Value> Of(const Known& known, const std::vector<Value>& values) {
  std::vector<Value> found;
  for (const Value value : values) {
    const auto at = known.find(value.id);
    found.push_back(at == known.end() ? kNone : at->second);
  }
  return found;
}

void Accumulate(KernelCalculator& calculator, Known& slopes,
                const std::vector<Value>& inputs,
                const std::vector<Value>& gradients) {
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].present()) continue;
    const auto [sum, first] = slopes.try_emplace(inputs[i].id, gradients[i]);
    if (!first)
      sum->second =
          calculator.ApplyAll(OpCode::kAdd, {sum->second, gradients[i]}, {})[0];
  }
}

void GoBack(KernelCalculator& calculator, const GraphNode& node,
            const Known& known, Known& slopes) {
  const OpEntry& entry = EntryOf(node.op);
  const std::vector<Value> dy = Of(slopes, node.outputs);
  bool reached = false;
  for (const Value value : dy) reached |= value.present();
  if (!reached || entry.stops_gradient || node.inputs.empty()) return;
  ASSERT_NE(entry.gradient, nullptr) << entry.name;
  const std::vector<Value> inputs = Of(known, node.inputs);
  const std::vector<Value> outputs = Of(known, node.outputs);
  ASSERT_OK_AND_ASSIGN(
      const std::vector<Value> gradients,
      entry.gradient(calculator, {inputs, outputs, node.attributes}, dy));
  Accumulate(calculator, slopes, node.inputs, gradients);
}

}  // namespace

Value KernelCalculator::Add(Tensor tensor) {
  tensors_.push_back(std::move(tensor));
  return {static_cast<std::int32_t>(tensors_.size()) - 1};
}

std::vector<Value> KernelCalculator::ApplyAll(OpCode op,
                                              const std::vector<Value>& inputs,
                                              const OpAttributes& attributes) {
  OpSample sample;
  sample.attributes = attributes;
  std::vector<Tensor> operands;
  for (const Value input : inputs) {
    operands.push_back(at(input));
    sample.inputs.push_back(type(input));
  }
  auto types = InferTypes(op, sample.inputs, attributes);
  EXPECT_THAT(types, IsOk());
  sample.outputs = *std::move(types);
  OneOp one(EntryOf(op), sample);
  one.Run(operands, rows_, 0, kSmallPanels, kernels_);
  std::vector<Value> results;
  for (std::size_t i = 0; i < sample.outputs.size(); ++i) {
    Tensor result(sample.outputs[i], rows_);
    result.values = one.Result(i);
    results.push_back(Add(std::move(result)));
  }
  return results;
}

Value KernelCalculator::Apply(OpCode op, std::vector<Value> inputs,
                              const std::string& /*role*/,
                              OpAttributes attributes) {
  return ApplyAll(op, inputs, attributes)[0];
}

Slopes SlopesOf(const PodsimKernels& kernels, const Graph& graph,
                const GivenNumbers& given, Value x, Value y, const Tensor& dy) {
  KernelCalculator calculator(
      kernels, given.at(x.id).dims.at(graph.type(x).shape.batch_axis));
  Known known;
  for (const auto& [id, tensor] : given) known[id] = calculator.Add(tensor);
  for (const GraphNode& node : graph.nodes()) {
    const std::vector<Value> results =
        calculator.ApplyAll(node.op, Of(known, node.inputs), node.attributes);
    for (std::size_t i = 0; i < results.size(); ++i)
      known[node.outputs[i].id] = results[i];
  }
  Known slopes = {{y.id, calculator.Add(dy)}};
  for (auto node = graph.nodes().rbegin(); node != graph.nodes().rend(); ++node)
    GoBack(calculator, *node, known, slopes);
  const auto dx = slopes.find(x.id);
  EXPECT_NE(dx, slopes.end()) << "no gradient";
  return {calculator.at(known.at(y.id)), dx == slopes.end()
                                             ? Tensor(graph.type(x), 0)
                                             : calculator.at(dx->second)};
}

}  // namespace podsim::testing
