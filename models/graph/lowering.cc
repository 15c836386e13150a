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
  for (const VariableValue& pair : input.gradients) need(pair.value);
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

std::vector<ValueType> TypesOf(const Graph& graph,
                               const std::vector<Value>& values) {
  std::vector<ValueType> types;
  types.reserve(values.size());
  for (const Value value : values) types.push_back(graph.type(value));
  return types;
}

bool SumsStacked(const Graph& graph, const GraphNode& node) {
  const std::vector<ValueType> inputs = TypesOf(graph, node.inputs);
  const std::vector<ValueType> outputs = TypesOf(graph, node.outputs);
  return SumsStackedRows(EntryOf(node.op), {inputs, outputs, node.attributes});
}

// The product's left side, as written down in mathematics, is one row. A batch
// is never one row, however few examples a core happens to hold.
bool IsOneRowProduct(const Graph& graph, const GraphNode& node) {
  constexpr std::int64_t kExamples = 2;  // as good as any number but 1
  const std::vector<ValueType> inputs = TypesOf(graph, node.inputs);
  const std::vector<ValueType> outputs = TypesOf(graph, node.outputs);
  const OpCost cost =
      CostOf(EntryOf(node.op), {inputs, outputs, node.attributes}, kExamples);
  return cost.products.at(0).m == 1;
}

// The operand of a product that is packed.
constexpr std::size_t kRight = 1;

class Lowering {
 public:
  Lowering(const Graph& graph, const LoweringInput& input)
      : graph_(graph), input_(input) {
    lowered_.tensor_of.assign(graph.values().size(), kNoTensor);
    for (const VariableValue& pair : input.gradients)
      gradients_.insert(pair.value.id);
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
    FuseCoreSums(needed);
    for (std::size_t i = 0; i < needed.size(); ++i) {
      if (needed[i]) LowerNode(graph_.nodes()[i]);
      if (i < input_.first_nodes)
        lowered_.of_first_nodes = lowered_.instructions.size();
    }
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

  // A sum over cores of what an op sums over the batch is what that op makes of
  // all the host's rows, if nobody wants the cores' own.
  void FuseCoreSums(const std::vector<bool>& needed) {
    std::map<std::int32_t, int> readers;
    std::map<std::int32_t, bool> sums_batch;
    for (std::size_t i = 0; i < needed.size(); ++i) {
      if (!needed[i]) continue;
      const GraphNode& node = graph_.nodes()[i];
      for (const Value operand : node.inputs) ++readers[operand.id];
      for (const Value output : node.outputs)
        sums_batch[output.id] = SumsStacked(graph_, node);
    }
    for (std::size_t i = 0; i < needed.size(); ++i) {
      const GraphNode& node = graph_.nodes()[i];
      if (!needed[i] || !EntryOf(node.op).sums_cores) continue;
      const std::int32_t summed = node.inputs[0].id;
      if (sums_batch[summed] && readers[summed] == 1 && !kept_.contains(summed))
        fused_[summed] = node.outputs[0];
    }
  }

  Storage StorageOf(Value value) const {
    const auto sum = fused_.find(value.id);
    if (sum != fused_.end()) return StorageOf(sum->second);
    if (gradients_.contains(value.id)) return Storage::kGradient;
    if (graph_.type(value).per_core) return Storage::kPerCore;
    if (!graph_.type(value).batched()) return Storage::kScratch;
    return kept_.contains(value.id) ? Storage::kOutput : Storage::kBatched;
  }

  void LowerNode(const GraphNode& node) {
    const Value first = node.outputs[0];
    const OpEntry& entry = EntryOf(node.op);
    if (entry.sums_cores && fused_.contains(node.inputs[0].id)) {
      Slot(first) = Slot(node.inputs[0]);
      return;
    }
    if (entry.is_view && StorageOf(first) == Storage::kBatched &&
        MayBeViewed(Slot(node.inputs[0]))) {
      Slot(first) = ViewOf(Slot(node.inputs[0]), graph_.value(first).name,
                           graph_.type(first).shape);
      return;
    }
    Instruction instruction;
    instruction.op = node.op;
    instruction.attributes = node.attributes;
    const bool rounds = entry.is_product() && input_.bfloat16_products &&
                        node.attributes.Int(kFullPrecision, 0) == 0 &&
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

  const ProgramTensor& TensorAt(TensorId id) const {
    return lowered_.tensors[static_cast<std::size_t>(id)];
  }

  TensorId RootOf(TensorId id) const {
    const TensorId root = TensorAt(id).view_of;
    return root == kNoTensor ? id : root;
  }

  bool MayBeViewed(TensorId id) const {
    const Storage storage = TensorAt(id).storage;
    return storage == Storage::kBatched || storage == Storage::kInput;
  }

  // `id`'s elements as `shape`.
  TensorId ViewOf(TensorId id, const std::string& name, const Shape& shape) {
    if (TensorAt(id).shape == shape) return id;
    const TensorId root = RootOf(id);
    if (TensorAt(root).shape == shape) return root;
    return AddTensor({.name = name,
                      .dtype = TensorAt(root).dtype,
                      .storage = TensorAt(root).storage,
                      .shape = shape,
                      .view_of = root});
  }

  // Weights are rounded as they are packed.
  TensorId RightSide(TensorId id) {
    ProgramTensor& tensor = lowered_.tensors[static_cast<std::size_t>(id)];
    if (tensor.storage != Storage::kVariable) return Rounded(id);
    tensor.feeds_product = true;
    return id;
  }

  // The tensor to read `id` from in a product of rounded operands. Views of one
  // tensor are rounded as one.
  TensorId Rounded(TensorId id) {
    const TensorId root = RootOf(id);
    if (root != id)
      return ViewOf(Rounded(root), absl::StrCat(TensorAt(id).name, "/bfloat16"),
                    Shape(TensorAt(id).shape));
    const ProgramTensor& tensor = TensorAt(id);
    const auto known = rounded_.find(id);
    if (known != rounded_.end()) return known->second;
    const TensorId rounded = AddTensor(
        {.name = absl::StrCat(tensor.name, "/bfloat16"),
         .dtype = DType::kBFloat16,
         .storage = tensor.storage == Storage::kPerCore ? Storage::kPerCore
                    : tensor.batched()                  ? Storage::kBatched
                                                        : Storage::kScratch,
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
  std::map<std::int32_t, Value> fused_;  // the sum over cores of a value
  std::map<TensorId, TensorId> rounded_;
  Lowered lowered_;
};

}  // namespace

Lowered Lower(const Graph& graph, const LoweringInput& input) {
  return Lowering(graph, input).Run();
}

std::vector<Instruction> NeededFor(const Program& program,
                                   const std::vector<Instruction>& instructions,
                                   const std::vector<TensorId>& wanted) {
  std::set<TensorId> needed(wanted.begin(), wanted.end());
  std::vector<Instruction> result;
  for (auto it = instructions.rbegin(); it != instructions.rend(); ++it) {
    const bool keep =
        std::any_of(it->outputs.begin(), it->outputs.end(),
                    [&](TensorId id) { return needed.contains(id); });
    if (!keep) continue;
    for (const TensorId id : it->inputs) needed.insert(program.root(id));
    result.push_back(*it);
  }
  std::reverse(result.begin(), result.end());
  return result;
}

}  // namespace podsim
