#include "runtime/ckpt/find_checkpoint.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "host/checkpoint/layout.h"
#include "host/checkpoint/runs_below.h"
#include "host/storage/beside.h"

namespace podsim {
namespace {

// As after a copy of the weights alone.
bool HoldsParts(ObjectStore& store, const std::string& directory) {
  const absl::StatusOr<std::vector<std::string>> names = store.List(directory);
  return names.ok() &&
         std::any_of(names->begin(), names->end(), [](const std::string& name) {
           return name.ends_with(".safetensors");
         });
}

// "run1 has 20 and 40": what lies beside a step that is not there.
std::string WhatIsBeside(ObjectStore& store, const std::string& directory) {
  const std::string::size_type end = directory.find_last_not_of('/');
  const std::string::size_type slash = directory.rfind('/', end);
  const std::string parent = slash == std::string::npos ? "."
                             : slash == 0               ? "/"
                                          : directory.substr(0, slash);
  const auto steps = ListSteps(store, parent);
  if (!steps.ok() || steps->empty()) return "";
  constexpr std::size_t kMostNamed = 5;
  const std::size_t first =
      steps->size() > kMostNamed ? steps->size() - kMostNamed : 0;
  const std::vector<std::int64_t> newest(
      steps->begin() + static_cast<std::ptrdiff_t>(first), steps->end());
  return absl::StrCat("; ", parent, " has ", first > 0 ? "... " : "",
                      absl::StrJoin(newest, ", "));
}

bool BlankAround(const std::string& path) {
  return absl::StripAsciiWhitespace(path) != path;
}

// "; its step 4 is runs/a/4" of "runs/a:4", "runs/a@4" and "runs/a#4", where
// there is one. Empty: it is of another form.
std::string StepMeant(ObjectStore& store, const std::string& directory) {
  const std::size_t mark = directory.find_last_of(":@#");
  if (mark == std::string::npos || mark == 0) return "";
  const auto step = ParseStep(directory.substr(mark + 1));
  if (!step) return "";
  const std::string path = StepPath(directory.substr(0, mark), *step);
  return store.List(path).ok()
             ? absl::StrCat("; step ", *step, " of ", directory.substr(0, mark),
                            " is ", path)
             : "";
}

absl::Status HasRuns(const std::string& directory,
                     const std::vector<RunBelow>& runs) {
  return absl::NotFoundError(absl::StrCat(directory, ButRunsDo(runs),
                                          "; give a model_dir, such as ",
                                          runs[0].path));
}

// Whether all that was refused in a folder are numbered runs: "runs/1: ...".
bool AreRuns(const std::vector<std::string>& refused,
             const std::vector<RunBelow>& runs) {
  return std::ranges::all_of(refused, [&](const std::string& line) {
    return std::ranges::any_of(runs, [&](const RunBelow& run) {
      return line.starts_with(absl::StrCat(run.path, ": "));
    });
  });
}

// Neither a checkpoint nor a model_dir.
absl::Status NothingAt(ObjectStore& store, const std::string& directory) {
  const absl::StatusOr<std::vector<std::string>> names = store.List(directory);
  if (names.ok() && names->empty())
    return absl::NotFoundError(absl::StrCat(
        directory,
        " holds no checkpoint yet (it is empty); give the --model_dir that "
        "pod_launch saved to"));
  const bool there = names.ok();
  if (const auto runs =
          there ? RunsBelow(store, directory) : std::vector<RunBelow>();
      !runs.empty())
    return HasRuns(directory, runs);
  const std::string steps = there ? "" : WhatIsBeside(store, directory);
  return absl::NotFoundError(absl::StrCat(
      there
          ? absl::StrCat(directory, " holds no checkpoint")
          : absl::StrCat("there is no folder ",
                         BlankAround(directory)
                             ? absl::StrCat("\"", directory,
                                            "\", with a blank at its beginning "
                                            "or end")
                             : directory,
                         StepMeant(store, directory), steps),
      "; give a model_dir, or one of its directories named after a step",
      there || !steps.empty() ? ""
                              : BesideText(store, directory, Wanted::kFolder)));
}

}  // namespace

absl::Status WithWayOn(const absl::Status& status, const std::string& path) {
  if (!absl::IsDataLoss(status)) return status;
  return absl::DataLossError(
      absl::StrCat(status.message(), "; copy it again, or delete ", path,
                   " and go on from an earlier checkpoint"));
}

absl::StatusOr<FoundCheckpoint> FindCheckpoint(ObjectStore& store,
                                               const std::string& directory) {
  absl::StatusOr<CheckpointAt> itself = ReadManifest(store, directory);
  if (itself.ok()) return FoundCheckpoint{.at = *std::move(itself)};
  const bool numbered = absl::IsFailedPrecondition(itself.status());
  if (!numbered && !absl::IsNotFound(itself.status()))
    return WithWayOn(itself.status(), directory);
  absl::StatusOr<Newest> looked = FindNewestGood(store, directory);
  // The folder of a run may be called as a step is: runs/1.
  if (numbered && (!looked.ok() || !looked->checkpoint)) return itself.status();
  PODSIM_ASSIGN_OR_RETURN(Newest newest, std::move(looked));
  if (newest.checkpoint)
    return FoundCheckpoint{*std::move(newest.checkpoint),
                           std::move(newest.refused)};
  if (!newest.renamed.empty())
    if (const auto runs = RunsBelow(store, directory);
        AreRuns(newest.refused, runs))
      return HasRuns(directory, runs);
  if (!newest.refused.empty())
    return absl::DataLossError(absl::StrCat(
        directory,
        " has no good checkpoint: ", absl::StrJoin(newest.refused, "; ")));
  if (HoldsParts(store, directory))
    return absl::NotFoundError(absl::StrCat(
        directory, " holds parts of a checkpoint without its ", kManifestName,
        "; copy the whole folder that is named after the step"));
  return NothingAt(store, directory);
}

}  // namespace podsim
