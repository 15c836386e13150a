#include "models/graph/lowering.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"

namespace podsim {
namespace {

std::vector<bool> NeededNodes(const Graph& graph, const LoweringInput& input) {
  std::vector<bool> needed_value(graph.values().size());
  const auto need = [&](Value value) {
    needed_value[static_cast<std::size_t>(value.id)] = true;
  };
  for (const VariableGradient& pair : input.gradients) need(pair.gradient);
  for (const Value value : input.kept) need(value);
  const std::vector<GraphNode>& nodes = graph.nodes();
  std::vector<bool> needed(nodes.size());
  for (std::size_t i = nodes.size(); i-- > 0;) {
    needed[i] = std::any_of(
        nodes[i].outputs.begin(), nodes[i].outputs.end(), [&](Value value) {
          return needed_value[static_cast<std::size_t>(value.id)];
        });
    if (!needed[i]) continue;
    for (const Value operand : nodes[i].inputs) need(operand);
  }
  return needed;
}

// The product's left side, as written down in mathematics, is one row. A batch
// is never one row, however few examples a core happens to hold.
bool IsOneRowProduct(const Graph& graph, const GraphNode& node) {
  const ValueType& left = graph.type(node.inputs[0]);
  // x^T has a row per column of x.
  if (EntryOf(node.op).product == ProductForm::kLeftTransposed)
    return left.shape.dims.back() == 1;
  return !left.batched() && left.shape.dims[0] == 1;
}

// The operand of a product that is packed.
constexpr std::size_t kRight = 1;

class Lowering {
 public:
  Lowering(const Graph& graph, const LoweringInput& input)
      : graph_(graph), input_(input) {
    lowered_.tensor_of.assign(graph.values().size(), kNoTensor);
    for (const VariableGradient& pair : input.gradients)
      gradients_.insert(pair.gradient.id);
    for (const Value value : input.kept) kept_.insert(value.id);
  }

  Lowered Run() {
    for (std::size_t id = 0; id < graph_.values().size(); ++id) {
      const GraphValue& value = graph_.values()[id];
      if (value.kind != ValueKind::kComputed)
        AddTensor({static_cast<std::int32_t>(id)},
                  value.kind == ValueKind::kVariable ? Storage::kVariable
                                                     : Storage::kInput);
    }
    const std::vector<bool> needed = NeededNodes(graph_, input_);
    for (std::size_t i = 0; i < needed.size(); ++i)
      if (needed[i]) LowerNode(graph_.nodes()[i]);
    return std::move(lowered_);
  }

 private:
  TensorId& Slot(Value value) {
    return lowered_.tensor_of[static_cast<std::size_t>(value.id)];
  }

  TensorId AddTensor(ProgramTensor tensor) {
    lowered_.tensors.push_back(std::move(tensor));
    return static_cast<TensorId>(lowered_.tensors.size()) - 1;
  }

  void AddTensor(Value value, Storage storage) {
    const GraphValue& from = graph_.value(value);
    Slot(value) = AddTensor({.name = from.name,
                             .dtype = from.type.dtype,
                             .storage = storage,
                             .shape = from.type.shape});
  }

  Storage StorageOf(Value value) const {
    if (gradients_.contains(value.id)) return Storage::kGradient;
    if (!graph_.type(value).batched()) return Storage::kScratch;
    return kept_.contains(value.id) ? Storage::kOutput : Storage::kBatched;
  }

  void LowerNode(const GraphNode& node) {
    const Value first = node.outputs[0];
    const OpEntry& entry = EntryOf(node.op);
    if (entry.is_view && StorageOf(first) == Storage::kBatched) {
      Slot(first) = Slot(node.inputs[0]);
      return;
    }
    Instruction instruction;
    instruction.op = node.op;
    instruction.attributes = node.attributes;
    const bool rounds = entry.is_product() && input_.bfloat16_products &&
                        !IsOneRowProduct(graph_, node);
    instruction.attributes.rounded_operands = rounds;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const TensorId id = Slot(node.inputs[i]);
      instruction.inputs.push_back(!rounds       ? id
                                   : i == kRight ? RightSide(id)
                                                 : Rounded(id));
    }
    for (const Value output : node.outputs) {
      AddTensor(output, StorageOf(output));
      instruction.outputs.push_back(Slot(output));
    }
    lowered_.instructions.push_back(std::move(instruction));
  }

  // Weights are rounded as they are packed.
  TensorId RightSide(TensorId id) {
    ProgramTensor& tensor = lowered_.tensors[static_cast<std::size_t>(id)];
    if (tensor.storage != Storage::kVariable) return Rounded(id);
    tensor.feeds_product = true;
    return id;
  }

  // The tensor to read `id` from in a product of rounded operands.
  TensorId Rounded(TensorId id) {
    const ProgramTensor& tensor =
        lowered_.tensors[static_cast<std::size_t>(id)];
    const auto known = rounded_.find(id);
    if (known != rounded_.end()) return known->second;
    const TensorId rounded = AddTensor(
        {.name = absl::StrCat(tensor.name, "/bfloat16"),
         .dtype = DType::kBFloat16,
         .storage = tensor.batched() ? Storage::kBatched : Storage::kScratch,
         .shape = tensor.shape});
    Instruction round;
    round.op = OpCode::kRoundBFloat16;
    round.inputs = {id};
    round.outputs = {rounded};
    lowered_.instructions.push_back(std::move(round));
    rounded_[id] = rounded;
    return rounded;
  }

  const Graph& graph_;
  const LoweringInput& input_;
  std::set<std::int32_t> gradients_;
  std::set<std::int32_t> kept_;
  std::map<TensorId, TensorId> rounded_;
  Lowered lowered_;
};

}  // namespace

Lowered Lower(const Graph& graph, const LoweringInput& input) {
  return Lowering(graph, input).Run();
}

std::vector<Instruction> NeededFor(const std::vector<Instruction>& instructions,
                                   const std::vector<TensorId>& roots) {
  std::set<TensorId> needed(roots.begin(), roots.end());
  std::vector<Instruction> result;
  for (auto it = instructions.rbegin(); it != instructions.rend(); ++it) {
    const bool keep =
        std::any_of(it->outputs.begin(), it->outputs.end(),
                    [&](TensorId id) { return needed.contains(id); });
    if (!keep) continue;
    needed.insert(it->inputs.begin(), it->inputs.end());
    result.push_back(*it);
  }
  std::reverse(result.begin(), result.end());
  return result;
}

}  // namespace podsim
