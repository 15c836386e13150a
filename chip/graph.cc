#include "chip/graph.h"

#include <utility>

#include "chip/clipping.h"
#include "models/graph/compile.h"
#include "models/graph/exchanges.h"
#include "models/ops/op_table.h"

namespace podsim {
namespace {

// Its result is its operand, for a chip: what the emulator rounds for its
// products, what it sums over the cores of a host (the all-reduce does that on
// a chip), and joins of a core with itself.
bool IsSeenThrough(const Instruction& instruction) {
  return instruction.op == OpCode::kRoundBFloat16 ||
         instruction.op == OpCode::kCoreSum ||
         instruction.op == OpCode("StopGradient") ||
         (EntryOf(instruction.op).joins_cores && !JoinsCores(instruction));
}

ChipValueKind KindOfVariable(const ProgramVariable& variable) {
  if (variable.is_slot) return ChipValueKind::kSlot;
  return variable.is_state ? ChipValueKind::kState : ChipValueKind::kWeight;
}

class GraphMaker {
 public:
  explicit GraphMaker(const Program& program)
      : program_(program),
        now_(program.tensors.size(), kNoChipValue),
        leaf_kinds_(program.tensors.size(), ChipValueKind::kInput) {
    for (const ProgramVariable& variable : program.variables)
      leaf_kinds_[variable.tensor] = KindOfVariable(variable);
  }

  void Append(EntryPoint entry) {
    const auto segments = program_.entries.find(entry);
    if (segments == program_.entries.end()) return;
    for (const Segment& segment : segments->second) {
      for (const Instruction& instruction : segment.instructions)
        AppendInstruction(instruction);
      // A tensor's join is an instruction, too.
      if (segment.kind == SegmentKind::kAllReduce && !segment.joins_tensor())
        AppendBucket(segment.bucket);
    }
  }

  // What is there whether the step reads it or not.
  void AddVariables() {
    for (const ProgramVariable& variable : program_.variables)
      ValueOf(variable.tensor);
  }

  ChipGraph Take() {
    LeaveUnread();
    return std::move(graph_);
  }

 private:
  // A Program has no op whose results nobody wants.
  void LeaveUnread() {
    std::vector<bool> wanted(graph_.values.size());
    for (const ChipNode& node : graph_.nodes)
      for (const ChipValueId operand : node.operands)
        wanted[graph_.root(operand)] = true;
    for (const ChipNode& node : graph_.nodes) {
      bool any = false;
      for (const ChipValueId result : node.results)
        any = any || wanted[result] || graph_.value(result).is_left();
      if (!any) graph_.values[node.results[0]].kind = ChipValueKind::kOutput;
    }
  }

  // The value that the tensor holds now.
  ChipValueId ValueOf(TensorId id) {
    if (now_[id] != kNoChipValue) return now_[id];
    const ProgramTensor& tensor = program_.tensor(id);
    if (tensor.view_of != kNoTensor) {
      const ChipValueId of = ValueOf(tensor.view_of);
      now_[id] = ViewOf(of, tensor);
    } else {
      now_[id] = AddValue({.name = tensor.name,
                           .type = TypeOf(tensor),
                           .kind = tensor.storage == Storage::kGradient
                                       ? ChipValueKind::kGradient
                                       : leaf_kinds_[id]});
    }
    return now_[id];
  }

  std::vector<ChipValueId> ValuesOf(const std::vector<TensorId>& ids) {
    std::vector<ChipValueId> values;
    values.reserve(ids.size());
    for (const TensorId id : ids) values.push_back(ValueOf(id));
    return values;
  }

  ChipValueId AddValue(ChipValue value) {
    graph_.values.push_back(std::move(value));
    return static_cast<ChipValueId>(graph_.values.size()) - 1;
  }

  // `of`'s elements in the shape of `tensor`.
  ChipValueId ViewOf(ChipValueId of, const ProgramTensor& tensor) {
    const ChipValueId root = graph_.root(of);
    for (const ChipValueId known : {of, root})
      if (graph_.value(known).type.shape == tensor.shape) return known;
    ChipValue view = graph_.value(root);
    view.name = tensor.name;
    view.type.shape = tensor.shape;
    view.kind = ChipValueKind::kComputed;
    view.in_place_of = kNoChipValue;
    view.view_of = root;
    return AddValue(std::move(view));
  }

  static ChipValueKind KindOf(const ProgramTensor& tensor) {
    return tensor.storage == Storage::kGradient ? ChipValueKind::kGradient
           : tensor.storage == Storage::kOutput ? ChipValueKind::kOutput
                                                : ChipValueKind::kComputed;
  }

  // The tensor is another name of the value.
  void Name(TensorId id, ChipValueId value) {
    now_[id] = value;
    ChipValueKind& kind = graph_.values[graph_.root(value)].kind;
    if (kind == ChipValueKind::kComputed) kind = KindOf(program_.tensor(id));
  }

  void AppendInstruction(const Instruction& instruction) {
    const TensorId first = instruction.outputs.at(0);
    const ProgramTensor& tensor = program_.tensor(first);
    if (IsSeenThrough(instruction)) {
      Name(first, ValueOf(instruction.inputs.at(0)));
    } else if (instruction.op == OpCode::kReshape) {
      Name(first, ViewOf(ValueOf(instruction.inputs.at(0)), tensor));
    } else if (instruction.op == OpCode::kConstant &&
               instruction.attributes.data != nullptr) {
      now_[first] = AddValue({.name = tensor.name,
                              .type = TypeOf(tensor),
                              .kind = ChipValueKind::kConstant});
    } else if (instruction.op == OpCode::kClip) {
      AppendClip(instruction);
    } else {
      AppendNode(instruction);
    }
  }

  void AppendNode(const Instruction& instruction) {
    ChipNode node;
    node.op = instruction.op;
    node.attributes = instruction.attributes;
    // An assignment does not read what it writes over.
    node.operands = instruction.op == OpCode::kAssign
                        ? ValuesOf({instruction.inputs.at(0)})
                        : ValuesOf(instruction.inputs);
    const bool updates = EntryOf(instruction.op).is_update;
    for (const TensorId id : instruction.outputs) {
      ChipValue result = ResultFor(id);
      if (updates) {
        result.in_place_of = graph_.root(ValueOf(id));
        result.kind = graph_.value(result.in_place_of).kind;
      } else if (JoinsCores(instruction)) {
        result.in_place_of = graph_.root(node.operands[0]);
      }
      node.results.push_back(AddValue(std::move(result)));
    }
    for (std::size_t i = 0; i < node.results.size(); ++i)
      now_[instruction.outputs[i]] = node.results[i];
    graph_.nodes.push_back(std::move(node));
  }

  // Of the next node.
  ChipValue ResultFor(TensorId id) const {
    const ProgramTensor& tensor = program_.tensor(id);
    return {.name = tensor.name,
            .type = TypeOf(tensor),
            .kind = KindOf(tensor),
            .node = NextNode()};
  }

  std::int32_t NextNode() const {
    return static_cast<std::int32_t>(graph_.nodes.size());
  }

  void AppendBucket(std::int32_t bucket) {
    ChipNode node;
    node.op = OpCode::kAllReduce;
    node.attributes.word = "add";
    node.bucket = bucket;
    for (const TensorId id : program_.buckets[bucket].gradients) {
      const ChipValueId gradient = ValueOf(id);
      ChipValue reduced = ResultFor(id);
      reduced.in_place_of = graph_.root(gradient);
      node.operands.push_back(gradient);
      node.results.push_back(AddValue(std::move(reduced)));
      now_[id] = node.results.back();
    }
    graph_.nodes.push_back(std::move(node));
  }

  void AppendClip(const Instruction& clip) {
    const std::vector<ChipValueId> clipped =
        AppendClipping(ValuesOf(clip.inputs), program_.clip_norm, graph_);
    for (std::size_t i = 0; i < clipped.size(); ++i)
      now_[clip.outputs[i]] = clipped[i];
  }

  const Program& program_;
  std::vector<ChipValueId> now_;  // by tensor
  std::vector<ChipValueKind> leaf_kinds_;
  ChipGraph graph_;
};

}  // namespace

ChipGraph ChipGraphOf(const Program& program, EntryPoint entry) {
  GraphMaker maker(program);
  if (program.entries.contains(entry)) maker.AddVariables();
  maker.Append(entry);
  if (entry == EntryPoint::kTrainMicrobatch) maker.Append(EntryPoint::kUpdate);
  return maker.Take();
}

}  // namespace podsim
