#include "runtime/plan/plan_explanation.h"

#include <limits>

#include "base/status.h"
#include "chip/hbm_use.h"
#include "job/plan_program.h"
#include "settings/words.h"

namespace podsim {

absl::StatusOr<PlanExplanation> ExplainRow(const LadderRow& row) {
  PODSIM_CHECK(row.status.ok());
  PODSIM_ASSIGN_OR_RETURN(const Program program, ProgramOf(row.plan));
  const PlanBits& bits = row.plan.bits();
  PlanExplanation explained;
  explained.rows = bits.batch_per_core();
  if (bits.microbatch_size() > 0) {
    explained.rows = bits.microbatch_size();
    explained.microbatches = bits.batch_per_core() / bits.microbatch_size();
  }
  const ChipFigures chip = row.slice.chip();
  explained.room =
      RoomForPass(program, explained.rows, explained.microbatches, chip);
  const double kept_within = row.plan.spec().remat() == words::Remat::none
                                 ? std::numeric_limits<double>::infinity()
                                 : explained.room;
  if (row.plan.spec().sim_sharded_update())
    explained.update_parts = row.slice.replicas;
  explained.chip =
      ExplainStep(ChipStepOf(program, explained.rows, chip, kept_within),
                  explained.rows, chip, explained.update_parts);
  return explained;
}

}  // namespace podsim
