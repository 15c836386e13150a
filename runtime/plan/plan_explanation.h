// What a chip does in a training step of a planned job. Pure.
#ifndef PODSIM_RUNTIME_PLAN_PLAN_EXPLANATION_H_
#define PODSIM_RUNTIME_PLAN_PLAN_EXPLANATION_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "chip/explain.h"
#include "runtime/plan/ladder.h"

namespace podsim {

struct PlanExplanation {
  std::int64_t rows = 0;  // examples of a core in one pass
  // Passes of a step. The kernels are those of one of them and of the update.
  std::int64_t microbatches = 1;
  double room = 0;  // bytes of HBM that a pass may take
  // Kernels of the update do one of so many parts of their work: the slice's
  // replicas with a sharded update, else 1.
  int update_parts = 1;
  ChipExplanation chip;
};

// Priced as the row's step is. Of row.slice, whether the step has room there or
// not. REQUIRES: row.status.ok(). Errors: those of ProgramOf.
absl::StatusOr<PlanExplanation> ExplainRow(const LadderRow& row);

// Of ExplainedHbm::activations, what is shown.
inline constexpr std::size_t kShownActivations = 5;

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_PLAN_EXPLANATION_H_
