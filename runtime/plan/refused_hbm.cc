#include "runtime/plan/refused_hbm.h"

#include <utility>

#include "base/status.h"

namespace podsim {
namespace {

// Of a chip that has room for whatever can be counted: the most that a hardware
// file may give (interconnect/topology/hardware_check.cc).
constexpr double kRoomyHbmBytes = 1e15;

// The job on `slice`, whose chips have more HBM than they have.
JobSpec OnRoomyChips(const JobSpec& spec, const Slice& slice,
                     LadderBatch batch) {
  JobSpec roomy = spec;
  roomy.set_topology(slice.name);
  Generation& generation = *roomy.mutable_hardware()->add_generations();
  generation.set_name(slice.generation);
  generation.mutable_hbm_bytes()->set_value(kRoomyHbmBytes);
  // Not even one example has room, or that batch would have been taken.
  if (batch == LadderBatch::kLargest) roomy.set_batch_per_core(1);
  return roomy;
}

}  // namespace

absl::StatusOr<std::optional<PlanExplanation>> ExplainRefused(
    const JobSpec& spec, const PlanInputs& inputs, const Slice& slice,
    LadderBatch batch) {
  LadderRow row = {.slice = slice};
  PODSIM_ASSIGN_OR_RETURN(row.plan,
                          PlanJob(OnRoomyChips(spec, slice, batch), inputs));
  PODSIM_ASSIGN_OR_RETURN(PlanExplanation explained, ExplainRow(row));
  if (explained.chip.hbm.fullest.total() <= explained.room) return std::nullopt;
  return explained;
}

}  // namespace podsim
