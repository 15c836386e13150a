#include "runtime/job/restored_program.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "job/plan_program.h"
#include "models/zoo/zoo.h"

namespace podsim {

absl::Status RestoreProgram(JobPlan& plan) {
  if (!plan.program().empty()) return absl::OkStatus();
  if (plan.spec().has_model_file())
    return absl::FailedPreconditionError(absl::StrCat(
        "model ", plan.bits().model().name(), " is of the file ",
        plan.spec().model_file(), ", which a metrics file does not hold"));
  PODSIM_ASSIGN_OR_RETURN(const ModelProto model,
                          BuildModel(plan.bits().model()));
  PODSIM_ASSIGN_OR_RETURN(const Program program,
                          CompileModel(model, OptionsOf(plan.bits())));
  JobPlan restored = plan;
  SetProgram(program, restored);
  if (restored.bits().program_hash() != plan.bits().program_hash())
    return absl::FailedPreconditionError(absl::StrCat(
        "this version of podsim compiles model ", plan.bits().model().name(),
        " otherwise than the one that ran it"));
  plan = std::move(restored);
  return absl::OkStatus();
}

}  // namespace podsim
