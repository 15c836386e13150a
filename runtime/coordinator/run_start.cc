#include "runtime/coordinator/run_start.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "base/units.h"
#include "host/checkpoint/catalog.h"
#include "host/checkpoint/commit.h"
#include "host/checkpoint/folders.h"
#include "host/checkpoint/layout.h"
#include "host/checkpoint/ownership.h"
#include "host/checkpoint/renamed.h"
#include "host/checkpoint/restore.h"
#include "host/checkpoint/runs_below.h"
#include "job/plan_program.h"
#include "job/saving.h"

namespace podsim {
namespace {

// A model_dir is the most likely to be given in the place of one of its steps.
absl::Status NothingToRestore(ObjectStore& store, const std::string& path) {
  const auto steps = ListSteps(store, path);
  if (steps.ok() && !steps->empty())
    return absl::NotFoundError(absl::StrCat(
        "--restore is ", path, ", a model_dir with ",
        FormatCounted(static_cast<std::int64_t>(steps->size()), "checkpoint"),
        "; name one of them, such as --restore=",
        StepPath(path, steps->back())));
  const std::size_t slash = path.rfind('/');
  const std::string above = slash == path.npos ? "" : path.substr(0, slash);
  if (store.Stat(path).ok() && ReadManifest(store, above).ok())
    return absl::NotFoundError(absl::StrCat(
        "--restore is ", path,
        ", a file of a checkpoint; give its folder: --restore=", above));
  // Of a step that is not there, what lies beside it.
  const std::string folder = slash == path.npos ? "."
                             : slash == 0       ? "/"
                                                : above;
  const auto newest = FindNewestGood(store, folder);
  if (newest.ok() && newest->checkpoint.has_value())
    return absl::NotFoundError(
        absl::StrCat("--restore: ", path,
                     ": no checkpoint is there; the newest good one "
                     "beside it: --restore=",
                     newest->checkpoint->path));
  if (const auto runs = RunsBelow(store, path); !runs.empty())
    return absl::NotFoundError(
        absl::StrCat("--restore: ", path, ButRunsDo(runs),
                     "; name a checkpoint, such as --restore=",
                     StepPath(runs[0].path, runs[0].step)));
  return absl::NotFoundError(
      absl::StrCat("--restore: ", path,
                   ": no checkpoint is there; give the folder of one, such as "
                   "--restore=runs/a/120; pod_ckpt ls runs/a lists them"));
}

// Beside a damaged step there may be a good one.
absl::Status CannotRestore(ObjectStore& store, std::string path,
                           const absl::Status& why) {
  const absl::Status status = Annotate(why, "--restore");
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  if (!absl::IsDataLoss(why) || !ParseStep(NameOf(path))) return status;
  const std::size_t slash = path.rfind('/');
  const std::string dir = slash == path.npos ? "."
                          : slash == 0       ? "/"
                                             : path.substr(0, slash);
  const auto newest = FindNewestGood(store, dir);
  if (!newest.ok()) return status;
  return absl::Status(
      status.code(),
      absl::StrCat(
          status.message(),
          newest->checkpoint.has_value()
              ? absl::StrCat("; the newest good one beside it: "
                             "--restore=",
                             newest->checkpoint->path)
              : absl::StrCat("; no other checkpoint in ", dir, " is good")));
}

absl::StatusOr<std::optional<CheckpointAt>> FindCheckpoint(ObjectStore& store,
                                                           const JobSpec& spec,
                                                           const JobPlan& plan,
                                                           RunStart& start,
                                                           Folders& folders) {
  const std::string& dir = plan.spec().model_dir();
  if (!spec.restore().empty()) {
    if (Saves(plan)) {
      PODSIM_ASSIGN_OR_RETURN(folders, LookAt(store, dir));
    }
    auto named = VerifyCheckpoint(store, spec.restore());
    if (absl::IsNotFound(named.status()))
      return NothingToRestore(store, spec.restore());
    if (!named.ok())
      return CannotRestore(store, spec.restore(), named.status());
    return *std::move(named);
  }
  if (dir.empty()) return std::nullopt;
  PODSIM_ASSIGN_OR_RETURN(Newest newest, FindNewestGood(store, dir));
  folders = std::move(newest.folders);
  // Newer than what training would go on from.
  if (!newest.renamed.empty() && (Saves(plan) || !newest.checkpoint))
    return absl::FailedPreconditionError(
        absl::StrCat(newest.renamed, ", or give another --model_dir"));
  if (!newest.checkpoint && !newest.refused.empty()) {
    return absl::DataLossError(absl::StrCat(
        "no checkpoint in ", dir,
        " is whole: ", absl::StrJoin(newest.refused, "; "),
        "; move them away to begin anew, or name one with --restore"));
  }
  for (const std::string& line : newest.refused) {
    start.notes.push_back(absl::StrCat("passed over a checkpoint: ", line));
  }
  return newest.checkpoint;
}

// How to begin anew: the checkpoint that --restore names is found again as long
// as it is named, and one in the model_dir without that, too.
std::string Anew(const JobSpec& spec, const JobPlan& plan) {
  if (spec.restore().empty()) return kOtherDir;
  const std::string& dir = plan.spec().model_dir();
  return absl::StrCat(
      "leave out --restore=", spec.restore(),
      !dir.empty() && absl::StartsWith(spec.restore(), absl::StrCat(dir, "/"))
          ? " and give another --model_dir"
          : "");
}

absl::Status CheckModel(const CheckpointAt& at, const JobPlan& plan,
                        bool weights_only, const std::string& anew) {
  PODSIM_ASSIGN_OR_RETURN(const Program program, ProgramOf(plan));
  return Annotate(
      CheckTensorsFit(at.manifest, program,
                      weights_only ? Restored::kWeights : Restored::kAll,
                      plan.spec().mode() == words::Mode::eval ? Use::kEvaluation
                                                              : Use::kTraining,
                      anew),
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

// `was`: what the checkpoint was trained with; `same`: how that is given;
// `anew`: how to begin anew.
absl::Status OtherOrder(const CheckpointAt& at, const std::string& was,
                        const std::string& is, const std::string& same,
                        const std::string& anew) {
  return absl::InvalidArgumentError(
      absl::StrCat(at.path, " was trained with ", was, ", the job has ", is,
                   ": resuming would change the order of the examples; ", same,
                   ", or ", anew));
}

// The stream goes on where it stopped only if it is the same stream.
absl::Status CheckStream(const CheckpointAt& at, const PlanBits& bits,
                         const std::string& anew) {
  const PlanBits& then = at.manifest.bits();
  if (then.dataset().fingerprint() != bits.dataset().fingerprint()) {
    return absl::InvalidArgumentError(absl::StrCat(
        at.path, " was trained on ", then.dataset().name(), " (",
        then.dataset().train_examples(), " examples, fingerprint ",
        then.dataset().fingerprint().substr(0, 12), "), the job reads ",
        bits.dataset().name(), " (", bits.dataset().train_examples(), ", ",
        bits.dataset().fingerprint().substr(0, 12),
        "): give the same data set, or ", anew));
  }
  if (then.seed() != bits.seed()) {
    const std::string was = absl::StrCat("--seed=", then.seed());
    return OtherOrder(at, was, absl::StrCat(bits.seed()),
                      absl::StrCat("give ", was), anew);
  }
  if (then.in_order() != bits.in_order()) {
    const auto said = [](bool in_order) { return in_order ? "false" : "true"; };
    const std::string was = absl::StrCat("--shuffle=", said(then.in_order()));
    return OtherOrder(at, was, said(bits.in_order()),
                      absl::StrCat("give ", was), anew);
  }
  const std::int64_t window = then.dataset().shuffle_window();
  if (!bits.in_order() && window != bits.dataset().shuffle_window()) {
    return OtherOrder(at, WindowText(window),
                      WindowText(bits.dataset().shuffle_window()),
                      absl::StrCat("give ", WindowText(window)), anew);
  }
  if (!bits.in_order() && then.dataset().lanes() != bits.dataset().lanes()) {
    return OtherOrder(
        at, absl::StrCat(then.dataset().lanes(), " lanes of shards"),
        absl::StrCat(bits.dataset().lanes()), "give the same", anew);
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

// "20, 40, 60 and 7 more".
std::string SomeOf(const std::vector<std::string>& names) {
  constexpr std::int64_t kNamed = 3;
  const auto all = static_cast<std::int64_t>(names.size());
  const std::int64_t named = std::min(all, kNamed);
  const std::string text =
      absl::StrJoin(names.begin(), names.begin() + named, ", ");
  if (named == all) return text;
  return absl::StrCat(text, " and ", all - named, " more");
}

// A checkpoint of somebody else's where this run would write its own.
absl::Status InTheWayError(ObjectStore& store, const std::string& dir,
                           std::int64_t step, std::int64_t begin) {
  const std::string path = StepPath(dir, step);
  const bool renamed =
      RenamedFrom(ReadManifest(store, path).status()).has_value();
  return absl::FailedPreconditionError(absl::StrCat(
      path, " is not on the record of what jobs wrote in ", dir,
      ", and comes after step ", begin, ", where this run begins: move it away",
      renamed ? ", or give another --model_dir"
              : absl::StrCat(", give another --model_dir, or take it over "
                             "with pod_ckpt adopt ",
                             dir)));
}

// What else lies in the model_dir: named and left, or in the way.
absl::Status LookAround(ObjectStore& store, const Folders& folders,
                        const std::string& dir, RunStart& start) {
  if (!folders.kept.trouble.empty())
    start.notes.push_back(
        absl::StrCat("nothing is deleted in ", dir, ": ", folders.kept.trouble,
                     "; pod_ckpt adopt ", dir, " writes the record anew"));
  std::vector<std::string> left;
  PODSIM_ASSIGN_OR_RETURN(
      const std::vector<std::int64_t> strangers,
      FindStrangers(store, dir, folders, start.point.step()));
  for (const std::int64_t step : strangers) {
    if (step > start.point.step())
      return InTheWayError(store, dir, step, start.point.step());
    if (StepPath(dir, step) != start.point.checkpoint())
      left.push_back(absl::StrCat(step));
  }
  if (!left.empty())
    start.notes.push_back(absl::StrCat(
        dir, " holds ",
        FormatCounted(static_cast<std::int64_t>(left.size()), "checkpoint"),
        " that no job's record there has (", SomeOf(left),
        "): left as they are; pod_ckpt adopt ", dir, " takes them over"));
  if (!folders.leftovers.empty())
    start.notes.push_back(absl::StrCat(
        dir, " holds unfinished folders that no job's record there has (",
        SomeOf(folders.leftovers), "): left as they are; pod_ckpt clean ", dir,
        " removes them"));
  return absl::OkStatus();
}

}  // namespace

namespace {

absl::StatusOr<RunStart> StartAt(const CheckpointAt& at, const JobSpec& spec,
                                 const JobPlan& plan, RunStart start) {
  const bool evaluates = plan.spec().mode() == words::Mode::eval;
  const bool anew = spec.restore_weights_only() && !evaluates;
  const CheckpointManifest& manifest = at.manifest;
  PODSIM_RETURN_IF_ERROR(
      CheckModel(at, plan, anew || evaluates, Anew(spec, plan)));
  start.point.set_checkpoint(at.path);
  start.point.set_manifest_sha256(at.manifest_sha256);
  start.point.set_weights_only(anew || evaluates);
  if (anew) return start;
  if (!evaluates) {
    PODSIM_RETURN_IF_ERROR(CheckStream(at, plan.bits(), Anew(spec, plan)));
    if (at.path == StepPath(plan.spec().model_dir(), at.step))
      start.resumed = OwnStepOf(at);
  }
  start.origin = OriginOf(manifest, spec);
  start.point.set_step(manifest.step());
  start.point.set_examples_consumed(manifest.examples_consumed());
  start.point.set_last_step(manifest.step() +
                            StepsLeft(plan, manifest.examples_consumed()));
  start.history = manifest.stints();
  return start;
}

}  // namespace

absl::StatusOr<RunStart> FindStart(ObjectStore& store, const JobSpec& spec,
                                   const JobPlan& plan) {
  RunStart start;
  start.point.set_last_step(plan.train_steps());
  if (plan.spec().has_bench()) return start;
  const std::string& dir = plan.spec().model_dir();
  PODSIM_RETURN_IF_ERROR(CheckIsOfRun(store, dir));
  Folders folders;
  PODSIM_ASSIGN_OR_RETURN(const std::optional<CheckpointAt> at,
                          FindCheckpoint(store, spec, plan, start, folders));
  if (!at && plan.spec().mode() == words::Mode::eval) {
    const auto runs = RunsBelow(store, dir);
    return absl::NotFoundError(
        runs.empty()
            ? absl::StrCat("mode=eval: there is no checkpoint in ", dir,
                           "; give the model_dir of a run that has saved one")
            : absl::StrCat(
                  "mode=eval: ", dir, ButRunsDo(runs),
                  "; give a model_dir, such as --model_dir=", runs[0].path));
  }
  if (at) {
    PODSIM_ASSIGN_OR_RETURN(start, StartAt(*at, spec, plan, std::move(start)));
  }
  if (Saves(plan))
    PODSIM_RETURN_IF_ERROR(LookAround(store, folders, dir, start));
  return start;
}

absl::StatusOr<bool> GoesOn(ObjectStore& store, const JobSpec& spec,
                            const JobPlan& plan) {
  if (!spec.restore().empty()) return true;
  if (plan.spec().model_dir().empty()) return false;
  PODSIM_ASSIGN_OR_RETURN(const std::vector<std::int64_t> steps,
                          ListSteps(store, plan.spec().model_dir()));
  return !steps.empty();
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

absl::Status PrepareModelDir(HeldDir& held, std::int64_t stamp,
                             RunStart& start) {
  start.stamp = stamp;
  const absl::Status cleaned = CleanUnfinished(held);
  // It is in nobody's way.
  if (absl::IsPermissionDenied(cleaned)) {
    start.notes.push_back(absl::StrCat(
        "left what earlier runs did not finish: ", cleaned.message()));
  } else {
    PODSIM_RETURN_IF_ERROR(cleaned);
  }
  PODSIM_RETURN_IF_ERROR(Annotate(held.Note([&](JobRecord& record) {
    record.Begin(stamp);
    if (start.resumed) record.Put(*start.resumed);
  }),
                                  "--model_dir"));
  PODSIM_RETURN_IF_ERROR(SetAsideNewer(held, start.point.step(), stamp));
  const std::string witness =
      absl::StrCat(WitnessPath(held.path(), stamp), "/witness");
  start.point.set_witness(witness.substr(held.path().size() + 1));
  return Annotate(held.store().Write(witness, "podsim\n"), "--model_dir");
}

void LeaveModelDir(const HeldDir& held, std::int64_t stamp) {
  // Another start would remove it, too: a failure is nobody's trouble.
  static_cast<void>(held.store().DeleteTree(WitnessPath(held.path(), stamp)));
}

}  // namespace podsim
