#include "models/graph/core_sums.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"

namespace podsim {
namespace {

std::size_t Sized(std::int32_t id) { return static_cast<std::size_t>(id); }

// Of one operand, each element of which goes where it goes, or is added up.
bool MovesAndAdds(const GraphNode& node) {
  static const auto& names = *new std::set<std::string_view>{
      "transpose", "Reshape", "negate", "slice", "reverse", "broadcast_in_dim"};
  return names.contains(node.op.name()) ||
         (node.op.name() == "reduce" && node.attributes.word == "add");
}

}  // namespace

Value Scaled(Graph& graph, Value x, Value by, const std::string& name) {
  OpAttributes attributes;
  attributes.shape = graph.type(x).shape;
  return graph.Apply(OpCode::kScale, {x, by}, std::move(attributes), name)[0];
}

CoreSums::CoreSums(Graph& graph, const std::vector<Value>& values)
    : graph_(graph),
      maker_(graph.values().size(), -1),
      readers_(graph.values().size()) {
  const std::vector<GraphNode>& nodes = graph.nodes();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const Value output : nodes[i].outputs)
      maker_[Sized(output.id)] = static_cast<int>(i);
    for (const Value input : nodes[i].inputs) ++readers_[Sized(input.id)];
  }
  // From the last to the first: which sums are wanted; an op is linear in what
  // nobody else reads.
  std::set<std::int32_t, std::greater<>> wanted;
  for (const Value value : values) wanted.insert(value.id);
  std::vector<std::int32_t> order;
  while (!wanted.empty()) {
    const Value value{*wanted.begin()};
    wanted.erase(wanted.begin());
    order.push_back(value.id);
    const GraphNode* node = MakerOf(value);
    if (node == nullptr || !IsPerCore(value) || !IsLinear(*node)) continue;
    for (const Value input : node->inputs)
      if (IsPerCore(input)) wanted.insert(input.id);
  }
  std::reverse(order.begin(), order.end());
  for (const std::int32_t id : order) {
    if (!IsPerCore({id})) continue;
    const GraphNode* node = MakerOf({id});
    if (node != nullptr && IsLinear(*node)) {
      const GraphNode copy = *node;  // the graph grows
      sums_[id] = Again(copy);
    } else {
      sums_[id] = SumOf({id});
    }
  }
}

const GraphNode* CoreSums::MakerOf(Value value) const {
  const int maker = maker_[Sized(value.id)];
  return maker < 0 ? nullptr : &graph_.nodes()[static_cast<std::size_t>(maker)];
}

bool CoreSums::IsLinear(const GraphNode& node) const {
  const auto is_own = [&](Value input) {
    return IsPerCore(input) && readers_[Sized(input.id)] == 1;
  };
  const std::string_view op = node.op.name();
  if (MovesAndAdds(node)) return is_own(node.inputs[0]);
  if (op == "add" || op == "subtract" || op == "concatenate")
    return std::all_of(
        node.inputs.begin(), node.inputs.end(),
        [&](Value input) { return is_own(input) || !IsPerCore(input); });
  return false;
}

Value CoreSums::SumOf(Value value) const {
  return graph_.Apply(OpCode::kCoreSum, {value}, {},
                      absl::StrCat(graph_.value(value).name, "/core_sum"))[0];
}

Value CoreSums::Again(const GraphNode& node) {
  std::vector<Value> operands;
  for (const Value input : node.inputs)
    operands.push_back(
        IsPerCore(input)
            ? sums_.at(input.id)
            : Scaled(graph_, input, Count(),
                     absl::StrCat(graph_.value(input).name, "/of_all_cores")));
  return graph_.Apply(
      node.op, std::move(operands), node.attributes,
      absl::StrCat(graph_.value(node.outputs[0]).name, "/core_sum"))[0];
}

Value CoreSums::Of(Value value) { return sums_.at(value.id); }

Value CoreSums::Count() {
  if (count_.present()) return count_;
  OpAttributes one;
  one.value = 1;
  one.shape = WithBatch({});
  const Value each =
      graph_.Apply(OpCode::kConstant, {}, std::move(one), "one_core/rows")[0];
  OpAttributes fold;
  fold.word = "maximum";
  fold.lists["dimensions"] = {0};
  const Value core =
      graph_.Apply(OpCode("reduce"), {each}, std::move(fold), "one_core")[0];
  count_ = SumOf(core);
  return count_;
}

}  // namespace podsim
