#include "runtime/coordinator/run_start.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "base/units.h"
#include "host/checkpoint/catalog.h"
#include "host/checkpoint/commit.h"
#include "host/checkpoint/layout.h"
#include "host/checkpoint/restore.h"
#include "job/plan_program.h"
#include "job/saving.h"

namespace podsim {
namespace {

// A directory, so that what a kill leaves of the file's writing goes with it.
constexpr char kWitness[] = ".podsim-pod-";

// A model_dir is the most likely to be given in the place of one of its steps.
absl::Status NothingToRestore(ObjectStore& store, const std::string& path) {
  const auto steps = ListSteps(store, path);
  if (steps.ok() && !steps->empty())
    return absl::NotFoundError(absl::StrCat(
        "--restore is ", path, ", a model_dir with ",
        FormatCounted(static_cast<std::int64_t>(steps->size()), "checkpoint"),
        "; name one of them, such as --restore=",
        StepPath(path, steps->back())));
  return absl::NotFoundError(
      absl::StrCat("--restore: ", path,
                   ": no checkpoint is there; give the folder of one, such as "
                   "--restore=runs/a/120; pod_ckpt ls runs/a lists them"));
}

absl::StatusOr<std::optional<CheckpointAt>> FindCheckpoint(
    ObjectStore& store, const JobSpec& spec, const JobPlan& plan,
    std::vector<std::string>& notes) {
  if (!spec.restore().empty()) {
    auto named = VerifyCheckpoint(store, spec.restore());
    if (absl::IsNotFound(named.status()))
      return NothingToRestore(store, spec.restore());
    if (!named.ok()) return Annotate(named.status(), "--restore");
    return *std::move(named);
  }
  if (plan.spec().model_dir().empty()) return std::nullopt;
  PODSIM_ASSIGN_OR_RETURN(Newest newest,
                          FindNewestGood(store, plan.spec().model_dir()));
  if (!newest.checkpoint && !newest.refused.empty()) {
    return absl::DataLossError(absl::StrCat(
        "no checkpoint in ", plan.spec().model_dir(),
        " is whole: ", absl::StrJoin(newest.refused, "; "),
        "; move them away to begin anew, or name one with --restore"));
  }
  for (const std::string& line : newest.refused) {
    notes.push_back(absl::StrCat("passed over a checkpoint: ", line));
  }
  return newest.checkpoint;
}

absl::Status CheckModel(const CheckpointAt& at, const JobPlan& plan,
                        bool weights_only) {
  PODSIM_ASSIGN_OR_RETURN(const Program program, ProgramOf(plan));
  return Annotate(
      CheckTensorsFit(at.manifest, program,
                      weights_only ? Restored::kWeights : Restored::kAll),
      at.path);
}

std::string WindowText(std::int64_t window) {
  return window == 0 ? "no --shuffle_window"
                     : absl::StrCat("--shuffle_window=", window);
}

// A checkpoint's own folder, in which another run would begin.
absl::Status CheckIsOfRun(ObjectStore& store, const std::string& model_dir) {
  if (model_dir.empty() ||
      !store.Stat(absl::StrCat(model_dir, "/", kManifestName)).ok())
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--model_dir is ", model_dir,
      ", the folder of one checkpoint; give the "
      "folder above it, from whose newest checkpoint a run goes on, or "
      "--restore=",
      model_dir, " with another --model_dir"));
}

constexpr char kOtherOrder[] =
    ": the order of the examples would be another's; give the same, or another "
    "--model_dir";

// The stream goes on where it stopped only if it is the same stream.
absl::Status CheckStream(const CheckpointAt& at, const PlanBits& bits) {
  const PlanBits& then = at.manifest.bits();
  if (then.dataset().fingerprint() != bits.dataset().fingerprint()) {
    return absl::InvalidArgumentError(absl::StrCat(
        at.path, " was trained on ", then.dataset().name(), " (",
        then.dataset().train_examples(), " examples, fingerprint ",
        then.dataset().fingerprint().substr(0, 12), "), the job reads ",
        bits.dataset().name(), " (", bits.dataset().train_examples(), ", ",
        bits.dataset().fingerprint().substr(0, 12),
        "): give the same data set, or another --model_dir"));
  }
  if (then.seed() != bits.seed()) {
    return absl::InvalidArgumentError(
        absl::StrCat(at.path, " was trained with --seed=", then.seed(),
                     ", the job has ", bits.seed(), kOtherOrder));
  }
  if (then.in_order() != bits.in_order()) {
    const auto said = [](bool in_order) { return in_order ? "false" : "true"; };
    return absl::InvalidArgumentError(absl::StrCat(
        at.path, " was trained with --shuffle=", said(then.in_order()),
        ", the job has ", said(bits.in_order()), kOtherOrder));
  }
  const std::int64_t window = then.dataset().shuffle_window();
  if (!bits.in_order() && window != bits.dataset().shuffle_window()) {
    return absl::InvalidArgumentError(absl::StrCat(
        at.path, " was trained with ", WindowText(window), ", the job has ",
        WindowText(bits.dataset().shuffle_window()), kOtherOrder));
  }
  if (!bits.in_order() && then.dataset().lanes() != bits.dataset().lanes()) {
    return absl::InvalidArgumentError(absl::StrCat(
        at.path, " was trained with ", then.dataset().lanes(),
        " lanes of shards, the job has ", bits.dataset().lanes(), kOtherOrder));
  }
  return absl::OkStatus();
}

StartOrigin OriginOf(const CheckpointManifest& manifest, const JobSpec& spec) {
  StartOrigin origin = {.manifest = manifest, .isa_asked = spec.has_isa()};
  origin.manifest.clear_files();
  origin.manifest.clear_tensors();
  return origin;
}

std::int64_t StepsLeft(const JobPlan& plan, std::int64_t consumed) {
  const std::int64_t left =
      std::max<std::int64_t>(0, plan.total_examples() - consumed);
  const std::int64_t batch = std::max<std::int64_t>(1, plan.global_batch());
  return (left + batch - 1) / batch;
}

std::string WitnessOf(std::int64_t stamp) {
  return absl::StrCat(kWitness, stamp);
}

// Those of processes that were killed.
absl::Status RemoveWitnesses(ObjectStore& store, const std::string& dir,
                             const AnnounceChange& announce) {
  auto names = store.List(dir);
  if (absl::IsNotFound(names.status())) return absl::OkStatus();
  PODSIM_RETURN_IF_ERROR(names.status());
  std::erase_if(*names, [](const std::string& name) {
    return !absl::StartsWith(name, kWitness);
  });
  if (names->empty()) return absl::OkStatus();
  if (announce != nullptr) PODSIM_RETURN_IF_ERROR(announce("clean"));
  for (const std::string& name : *names) {
    const absl::Status status =
        store.DeleteTree(absl::StrCat(dir, "/", NameOf(name)));
    if (!status.ok() && !absl::IsNotFound(status)) return status;
  }
  return announce == nullptr ? absl::OkStatus() : announce("");
}

}  // namespace

absl::StatusOr<RunStart> FindStart(ObjectStore& store, const JobSpec& spec,
                                   const JobPlan& plan) {
  RunStart start;
  start.point.set_last_step(plan.train_steps());
  if (plan.spec().has_bench()) return start;
  PODSIM_RETURN_IF_ERROR(CheckIsOfRun(store, plan.spec().model_dir()));
  PODSIM_ASSIGN_OR_RETURN(const std::optional<CheckpointAt> at,
                          FindCheckpoint(store, spec, plan, start.notes));
  if (!at) {
    if (plan.spec().mode() != words::Mode::eval) return start;
    return absl::NotFoundError(absl::StrCat(
        "mode=eval: there is no checkpoint in ", plan.spec().model_dir(),
        "; give the model_dir of a run that has saved one"));
  }
  const bool evaluates = plan.spec().mode() == words::Mode::eval;
  const bool anew = spec.restore_weights_only() && !evaluates;
  const CheckpointManifest& manifest = at->manifest;
  PODSIM_RETURN_IF_ERROR(CheckModel(*at, plan, anew || evaluates));
  start.point.set_checkpoint(at->path);
  start.point.set_manifest_sha256(at->manifest_sha256);
  start.point.set_weights_only(anew || evaluates);
  if (anew) return start;
  if (!evaluates) PODSIM_RETURN_IF_ERROR(CheckStream(*at, plan.bits()));
  start.origin = OriginOf(manifest, spec);
  start.point.set_step(manifest.step());
  start.point.set_examples_consumed(manifest.examples_consumed());
  start.point.set_last_step(manifest.step() +
                            StepsLeft(plan, manifest.examples_consumed()));
  start.history = manifest.stints();
  return start;
}

std::string DescribeStart(const StartPoint& start, const JobPlan& plan) {
  const std::string where =
      absl::StrCat(start.checkpoint(), ", step ", FormatCount(start.step()));
  if (plan.spec().mode() == words::Mode::eval)
    return absl::StrCat(where, ": to be evaluated");
  const std::int64_t left = start.last_step() - start.step();
  if (left > 0)
    return absl::StrCat(where, "; ", FormatCounted(left, "step"), " to go");
  return absl::StrCat(
      where, ": trained on ", FormatCount(start.examples_consumed()),
      " examples already; the job has ", FormatCount(plan.total_examples()),
      " (", FormatCounted(plan.train_steps(), "step"), " of ",
      FormatCount(plan.global_batch()),
      "), so no step is left: raise --train_steps or --epochs to train on");
}

absl::Status PrepareModelDir(ObjectStore& store, const JobPlan& plan,
                             std::int64_t stamp, RunStart& start,
                             const AnnounceChange& announce) {
  start.stamp = stamp;
  const std::string& dir = plan.spec().model_dir();
  if (!Saves(plan)) return absl::OkStatus();
  PODSIM_RETURN_IF_ERROR(CleanUnfinished(store, dir, announce));
  PODSIM_RETURN_IF_ERROR(
      SetAsideNewer(store, dir, start.point.step(), stamp, announce));
  PODSIM_RETURN_IF_ERROR(RemoveWitnesses(store, dir, announce));
  start.point.set_witness(absl::StrCat(WitnessOf(stamp), "/witness"));
  return Annotate(
      store.Write(absl::StrCat(dir, "/", start.point.witness()), "podsim\n"),
      "--model_dir");
}

void LeaveModelDir(ObjectStore& store, const JobPlan& plan,
                   std::int64_t stamp) {
  // Another start would remove it, too: a failure is nobody's trouble.
  if (Saves(plan))
    static_cast<void>(store.DeleteTree(
        absl::StrCat(plan.spec().model_dir(), "/", WitnessOf(stamp))));
}

}  // namespace podsim
