#include "host/core/fusion_draft.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace podsim {
namespace {

constexpr std::int64_t kLongestFusedUnit = 1 << 11;
constexpr std::int64_t kLongestFusedLine = 1 << 14;

}  // namespace

FusionDraft::Stretch FusionDraft::StretchOf(TensorId id) const {
  const ProgramTensor& tensor = program_->tensor(program_->root(id));
  return {tensor.storage, tensor.offset, tensor.offset + tensor.places()};
}

bool FusionDraft::Add(FusibleOp op) {
  const Instruction& instruction = *op.step.instruction;
  if (!IsInOrder(instruction) || !FitsSizes(op)) return false;
  const std::int64_t period = op.step.period;
  if (period <= kLongestFusedUnit &&
      std::lcm(unit_, period) <= kLongestFusedUnit)
    unit_ = std::lcm(unit_, period);
  for (const TensorId id : instruction.inputs)
    touched_.push_back(StretchOf(id));
  touched_.push_back(StretchOf(instruction.outputs[0]));
  steps_.push_back(std::move(op.step));
  return true;
}

void FusionDraft::Trim() {
  while (!steps_.empty() && MakesFromNothing(steps_.back())) steps_.pop_back();
}

std::int64_t FusionDraft::unit() const {
  const std::int64_t both = std::lcm(line(), unit_);
  return both <= kLongestFusedUnit ? both : line();
}

// Whether the op may write a tile before earlier ones read and write the next
// tiles of theirs: memory that is used again, for something of another size,
// is not free before all tiles are through.
bool FusionDraft::IsInOrder(const Instruction& instruction) const {
  const Stretch out = StretchOf(instruction.outputs[0]);
  return std::none_of(
      touched_.begin(), touched_.end(),
      [&](const Stretch& earlier) { return out.Disturbs(earlier); });
}

bool FusionDraft::FitsSizes(const FusibleOp& op) {
  if (op.narrow == 0) {
    if (wide_ == 0) wide_ = op.wide;
    return op.wide == wide_ || op.wide == narrow_;
  }
  if (op.narrow == op.wide || op.wide / op.narrow > kLongestFusedLine)
    return false;
  // What all had as many elements as this has lines were lines, too.
  const bool fits = narrow_ == 0
                        ? wide_ == 0 || wide_ == op.wide || wide_ == op.narrow
                        : wide_ == op.wide && narrow_ == op.narrow;
  if (!fits) return false;
  wide_ = op.wide;
  narrow_ = op.narrow;
  return true;
}

std::vector<FusionDraft> DraftFusions(
    const Program& program, const PodsimKernels& kernels,
    std::span<const Instruction> instructions) {
  std::vector<FusionDraft> drafts;
  for (std::size_t i = 0; i < instructions.size();) {
    FusionDraft draft(program);
    for (std::size_t next = i; next < instructions.size(); ++next) {
      auto op = AsFusedStep(program, instructions[next], kernels);
      if (!op || !draft.Add(*std::move(op))) break;
    }
    draft.Trim();
    const std::size_t size = draft.steps().size();
    if (size >= 2) drafts.push_back(std::move(draft));
    i += std::max<std::size_t>(size, 1);
  }
  return drafts;
}

}  // namespace podsim
