#include "runtime/job/plan_checkpoints.h"

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace podsim {
namespace {

// Between two checkpoints where the user names no interval.
constexpr double kDefaultSeconds = 600;

absl::Status NeedsModelDir(const char* flag) {
  return absl::InvalidArgumentError(
      absl::StrCat(flag, " needs model_dir, where checkpoints go"));
}

absl::Status CheckWithoutModelDir(const JobSpec& spec) {
  if (spec.has_checkpoint_every()) return NeedsModelDir("checkpoint_every");
  if (spec.has_checkpoint_every_seconds())
    return NeedsModelDir("checkpoint_every_seconds");
  if (spec.has_keep()) return NeedsModelDir("keep");
  if (spec.on_corruption() == "restore")
    return NeedsModelDir("on_corruption=restore");
  if (spec.mode() == "eval" && !spec.has_restore())
    return absl::InvalidArgumentError(
        "mode=eval evaluates a checkpoint: give model_dir (its newest one) or "
        "restore (the directory of one)");
  return absl::OkStatus();
}

absl::Status FillIntervals(const JobSpec& spec, JobPlan& plan) {
  if (spec.model_dir().empty())
    PODSIM_RETURN_IF_ERROR(CheckWithoutModelDir(spec));
  plan.set_model_dir(spec.model_dir());
  plan.set_keep(spec.keep());
  if (spec.model_dir().empty()) {
    if (spec.max_restarts() > 0)
      plan.add_notes(
          "without model_dir a restart begins again with the first step");
    return absl::OkStatus();
  }
  const bool silent =
      !spec.has_checkpoint_every() && !spec.has_checkpoint_every_seconds();
  plan.set_checkpoint_every(spec.checkpoint_every());
  plan.set_checkpoint_every_seconds(silent ? kDefaultSeconds
                                           : spec.checkpoint_every_seconds());
  return absl::OkStatus();
}

}  // namespace

absl::Status FillCheckpoints(const JobSpec& spec, JobPlan& plan) {
  plan.set_mode(spec.mode());
  plan.set_weights_check_every(spec.weights_check_every());
  plan.set_audit_every(plan.bits().hosts() > 1 ? spec.audit_every() : 0);
  plan.set_on_corruption(spec.on_corruption());
  return FillIntervals(spec, plan);
}

}  // namespace podsim
