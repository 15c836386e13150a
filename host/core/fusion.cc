#include "host/core/fusion.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "base/status.h"
#include "host/core/fusion_draft.h"
#include "host/core/fusion_slots.h"

namespace podsim {
namespace {

using Kind = FusedStep::Kind;

constexpr std::int64_t kFusedTile = 1 << 10;

// Who makes and who reads a tensor in an entry point.
struct TensorUses {
  const Instruction* maker = nullptr;
  std::vector<const Instruction*> readers;
  bool joined = false;  // by the cores of a group
};

using EntryUses = std::map<TensorId, TensorUses>;

EntryUses UsesOf(const Program& program, std::span<const Segment> segments) {
  EntryUses uses;
  for (const Segment& segment : segments) {
    if (segment.joins_tensor())
      uses[program.root(segment.tensor)].joined = true;
    for (const Instruction& instruction : segment.instructions) {
      for (const TensorId id : instruction.inputs)
        uses[program.root(id)].readers.push_back(&instruction);
      for (const TensorId id : instruction.outputs)
        uses[program.root(id)].maker = &instruction;
    }
  }
  return uses;
}

bool IsNumber(const Instruction* maker) {
  return maker != nullptr && maker->op == OpCode::kConstant &&
         maker->attributes.data == nullptr &&
         maker->attributes.dtype == DType::kFloat32;
}

// A draft with its values, and where each of them lies.
class FusionBuilder {
 public:
  FusionBuilder(const Program& program, const EntryUses& uses,
                const std::set<const Instruction*>& fused,
                const FusionDraft& draft)
      : program_(program), uses_(uses), fused_(fused), draft_(draft) {
    const Instruction* first = draft.steps().front().instruction;
    fusion_.instructions = {first, draft.steps().size()};
    fusion_.row = draft.row();
    fusion_.line = draft.line();
    fusion_.tile =
        std::max<std::int64_t>(kFusedTile / draft.unit(), 1) * draft.unit();
  }

  Fusion Build() && {
    for (const FusedStep& step : draft_.steps()) AddStep(step);
    SetRowGroup();
    GiveSlots(in_memory_, fusion_);
    return std::move(fusion_);
  }

 private:
  bool IsInside(const Instruction* instruction) const {
    return instruction >= fusion_.instructions.data() &&
           instruction <
               fusion_.instructions.data() + fusion_.instructions.size();
  }

  // Whether somebody else wants it from memory. A number everybody fills in.
  bool IsReadElsewhere(TensorId root) const {
    if (program_.tensor(root).storage != Storage::kBatched) return true;
    const TensorUses& uses = uses_.at(root);
    const bool is_number = IsNumber(uses.maker);
    return uses.joined ||
           std::any_of(uses.readers.begin(), uses.readers.end(),
                       [&](const Instruction* reader) {
                         return !IsInside(reader) &&
                                !(is_number && fused_.contains(reader));
                       });
  }

  int NewValue(TensorId root, bool in_memory) {
    const ProgramTensor& tensor = program_.tensor(root);
    const int value = static_cast<int>(fusion_.values.size());
    fusion_.values.push_back(
        {.tensor = root,
         .dtype = tensor.dtype,
         .element_bytes = tensor.element_bytes(),
         .per_line = tensor.shape.elements() != fusion_.row});
    in_memory_.push_back(in_memory);
    value_of_[root] = value;
    return value;
  }

  int Operand(TensorId id) {
    const TensorId root = program_.root(id);
    const auto known = value_of_.find(root);
    if (known != value_of_.end()) return known->second;
    const auto uses = uses_.find(root);
    const Instruction* maker =
        uses == uses_.end() ? nullptr : uses->second.maker;
    if (!IsNumber(maker)) return NewValue(root, /*in_memory=*/true);
    FusedStep fill{.kind = Kind::kFill, .instruction = maker};
    fill.out = NewValue(root, /*in_memory=*/false);
    fill.once = true;
    fusion_.steps.push_back(fill);
    return fill.out;
  }

  void AddStep(FusedStep step) {
    const Instruction& instruction = *step.instruction;
    // A number that follows B is the same on each core.
    fusion_.per_core =
        fusion_.per_core || (instruction.per_core && step.kind != Kind::kFill);
    const std::size_t operands = MakesFromNothing(step) ? 0
                                 : step.kind == Kind::kBias
                                     ? 1
                                     : instruction.inputs.size();
    for (std::size_t i = 0; i < operands; ++i)
      step.in.push_back(Operand(instruction.inputs[i]));
    const TensorId root = program_.root(instruction.outputs[0]);
    const bool in_memory = IsReadElsewhere(root);
    step.out = NewValue(root, in_memory);
    const std::int64_t elements = fusion_.values[AsIndex(step.out)].per_line
                                      ? fusion_.tile / fusion_.line
                                      : fusion_.tile;
    step.once =
        MakesFromNothing(step) && !in_memory && elements % step.period == 0;
    fusion_.steps.push_back(std::move(step));
  }

  void SetRowGroup() {
    std::set<std::int32_t> groups;
    for (const Instruction& instruction : fusion_.instructions)
      if (instruction.row_group != kNoRowGroup)
        groups.insert(instruction.row_group);
    if (groups.size() == 1 && !fusion_.per_core)
      fusion_.row_group = *groups.begin();
  }

  static std::size_t AsIndex(int i) { return static_cast<std::size_t>(i); }

  const Program& program_;
  const EntryUses& uses_;
  const std::set<const Instruction*>& fused_;
  const FusionDraft& draft_;
  Fusion fusion_;
  std::map<TensorId, int> value_of_;
  std::vector<bool> in_memory_;  // by value
};

}  // namespace

Fusions::Fusions(const Program& program, const PodsimKernels& kernels) {
  for (const auto& [entry, segments] : program.entries) {
    std::vector<FusionDraft> drafts;
    for (const Segment& segment : segments)
      for (FusionDraft& draft :
           DraftFusions(program, kernels, segment.instructions))
        drafts.push_back(std::move(draft));
    std::set<const Instruction*> fused;
    for (const FusionDraft& draft : drafts)
      for (const FusedStep& step : draft.steps())
        fused.insert(step.instruction);
    const EntryUses uses = UsesOf(program, segments);
    for (const FusionDraft& draft : drafts) {
      Fusion fusion = FusionBuilder(program, uses, fused, draft).Build();
      const Instruction* first = fusion.instructions.data();
      by_first_.emplace(first, std::move(fusion));
    }
  }
}

const Fusion* Fusions::At(const Instruction& first) const {
  const auto found = by_first_.find(&first);
  return found == by_first_.end() ? nullptr : &found->second;
}

}  // namespace podsim
