// Neighbouring ops that fit together, found one by one: what a fusion is made
// of (fusion.h). Pure.
#ifndef PODSIM_HOST_CORE_FUSION_DRAFT_H_
#define PODSIM_HOST_CORE_FUSION_DRAFT_H_

#include <cstdint>
#include <span>
#include <vector>

#include "host/core/fused_step.h"
#include "host/core/fusion.h"
#include "models/graph/program.h"

namespace podsim {

// Whether a step needs no tile of another.
inline bool MakesFromNothing(const FusedStep& step) {
  return step.kind == FusedStep::Kind::kRepeat ||
         step.kind == FusedStep::Kind::kFill;
}

class FusionDraft {
 public:
  // Borrows it.
  explicit FusionDraft(const Program& program) : program_(&program) {}

  // False, and nothing has changed, if the op does not fit behind the others.
  bool Add(FusibleOp op);
  // Drops steps at the end that make something for others alone.
  void Trim();

  // Without values; one for each instruction, in order.
  const std::vector<FusedStep>& steps() const { return steps_; }
  std::int64_t row() const { return wide_; }  // elements
  std::int64_t line() const { return narrow_ == 0 ? 1 : wide_ / narrow_; }
  // What tiles are a multiple of: lines, and of what is repeated if it is
  // short.
  std::int64_t unit() const;

 private:
  // Where a tensor lies, in places of a row.
  struct Stretch {
    Storage storage;
    std::int64_t begin;
    std::int64_t end;
    bool Disturbs(const Stretch& other) const {
      return storage == other.storage && begin < other.end &&
             other.begin < end && (begin != other.begin || end != other.end);
    }
  };

  Stretch StretchOf(TensorId id) const;
  bool IsInOrder(const Instruction& instruction) const;
  bool FitsSizes(const FusibleOp& op);

  const Program* program_;
  std::vector<FusedStep> steps_;
  std::vector<Stretch> touched_;
  std::int64_t wide_ = 0;    // elements of a row
  std::int64_t narrow_ = 0;  // lines of a row; 0: not known
  std::int64_t unit_ = 1;
};

// As many neighbours as fit, again and again; two at least.
std::vector<FusionDraft> DraftFusions(
    const Program& program, const PodsimKernels& kernels,
    std::span<const Instruction> instructions);

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_FUSION_DRAFT_H_
