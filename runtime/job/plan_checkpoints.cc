#include "runtime/job/plan_checkpoints.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "settings/field_text.h"

namespace podsim {
namespace {

// Between two checkpoints where the user names no interval.
constexpr double kDefaultSeconds = 600;

absl::Status NeedsModelDir(const JobSpec& spec, const char* setting) {
  return absl::InvalidArgumentError(absl::StrCat(
      setting, " is ",
      FieldText(spec, *JobSpec::descriptor()->FindFieldByName(setting)),
      " and needs model_dir, where checkpoints go: give --model_dir=DIR, or "
      "leave ",
      setting, " out"));
}

// A run that begins anew sets aside all that model_dir has.
absl::Status CheckWeightsOnly(const JobSpec& spec) {
  if (!spec.restore_weights_only()) return absl::OkStatus();
  if (!spec.has_restore())
    return absl::InvalidArgumentError(
        "restore_weights_only needs restore, the directory of a checkpoint: "
        "give --restore=DIR/STEP, or leave it out");
  if (spec.model_dir().empty() ||
      !absl::StartsWith(spec.restore(), spec.model_dir() + "/"))
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "restore_weights_only begins anew, and restore ", spec.restore(),
      " lies in its model_dir ", spec.model_dir(), "; give another model_dir"));
}

absl::Status CheckWithoutModelDir(const JobSpec& spec) {
  if (spec.has_checkpoint_every())
    return NeedsModelDir(spec, "checkpoint_every");
  if (spec.has_checkpoint_every_seconds())
    return NeedsModelDir(spec, "checkpoint_every_seconds");
  if (spec.has_keep()) return NeedsModelDir(spec, "keep");
  if (spec.on_corruption() == words::OnCorruption::restore)
    return NeedsModelDir(spec, "on_corruption");
  if (spec.mode() == words::Mode::eval && !spec.has_restore())
    return absl::InvalidArgumentError(
        "mode=eval evaluates a checkpoint: give --model_dir=DIR (its newest "
        "one) or --restore=DIR/STEP (that one)");
  return absl::OkStatus();
}

}  // namespace

absl::Status FillCheckpoints(ResolvedJob& job, JobPlan& plan) {
  JobSpec& spec = job.spec;
  if (job.slice.hosts == 1) {
    if (spec.audit_every() > 0)
      plan.add_notes(absl::StrCat("audit_every is ", spec.audit_every(),
                                  ", but a slice of one host has no other to "
                                  "audit it: nothing is audited"));
    spec.set_audit_every(0);
  }
  PODSIM_RETURN_IF_ERROR(CheckWeightsOnly(spec));
  if (spec.model_dir().empty()) {
    PODSIM_RETURN_IF_ERROR(CheckWithoutModelDir(spec));
    if (spec.max_restarts() > 0)
      plan.add_notes(
          "without model_dir a restart begins again with the first step");
    return absl::OkStatus();
  }
  if (!spec.has_checkpoint_every() && !spec.has_checkpoint_every_seconds())
    spec.set_checkpoint_every_seconds(kDefaultSeconds);
  return absl::OkStatus();
}

}  // namespace podsim
