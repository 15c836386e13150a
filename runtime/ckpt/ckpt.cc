#include "runtime/ckpt/ckpt.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/units.h"
#include "host/checkpoint/catalog.h"
#include "host/checkpoint/layout.h"
#include "host/checkpoint/renamed.h"
#include "host/storage/uri_store.h"
#include "runtime/ckpt/adoption.h"
#include "runtime/ckpt/ckpt_flags.h"
#include "runtime/ckpt/ckpt_text.h"
#include "runtime/ckpt/comparison.h"
#include "runtime/ckpt/explanation.h"
#include "runtime/ckpt/find_checkpoint.h"
#include "runtime/ckpt/given_file.h"
#include "runtime/ckpt/listing.h"
#include "runtime/ckpt/looks.h"
#include "settings/pasted.h"
#include "settings/programs.h"

namespace podsim {
namespace {

constexpr int kDiffers = 1;
constexpr int kRefused = 2;

absl::StatusOr<FoundCheckpoint> Find(ObjectStore& store,
                                     const std::string& path,
                                     CkptResult& result) {
  absl::StatusOr<FoundCheckpoint> found = FindCheckpoint(store, path);
  if (found.ok())
    for (const std::string& line : found->refused)
      absl::StrAppend(&result.error, "passed over: ", line, "\n");
  return found;
}

absl::Status Ls(ObjectStore& store, const std::string& model_dir,
                absl::Time now, int width, CkptResult& result) {
  PODSIM_ASSIGN_OR_RETURN(result.text,
                          ListModelDir(store, model_dir, now, width));
  return absl::OkStatus();
}

// Of a step of `model_dir` that could not be read.
bool HasVanished(ObjectStore& store, const std::string& model_dir,
                 const std::string& path) {
  const auto step = ParseStep(NameOf(path));
  if (!step) return false;
  const auto there = IsStillThere(store, model_dir, *step);
  return there.ok() && !*there;
}

// A running job deletes old ones: then another is the newest.
absl::Status Show(ObjectStore& store, const std::string& path, absl::Time now,
                  CkptResult& result) {
  for (int look = 1;; ++look) {
    result.error.clear();
    PODSIM_ASSIGN_OR_RETURN(const FoundCheckpoint found,
                            Find(store, path, result));
    absl::StatusOr<std::string> text = Explain(store, found.at, now);
    const bool again = !text.ok() && look < kLooks && found.at.path != path &&
                       HasVanished(store, path, found.at.path);
    if (again) continue;
    if (!text.ok()) return WithWayOn(text.status(), found.at.path);
    result.text = *std::move(text);
    return absl::OkStatus();
  }
}

// The checkpoint at `path`, or all that a model_dir at `path` holds: none where
// the first one came while it was looked at.
absl::StatusOr<std::vector<std::string>> PathsToVerify(
    ObjectStore& store, const std::string& path) {
  const absl::Status manifest = ReadManifest(store, path).status();
  if (absl::IsUnavailable(manifest)) return manifest;
  bool itself = !absl::IsNotFound(manifest);
  if (absl::IsFailedPrecondition(manifest)) {
    // The folder of a run may be called as a step is: runs/1.
    const auto newest = FindNewestGood(store, path);
    itself = !newest.ok() || !newest->checkpoint;
  }
  if (itself) return std::vector<std::string>{path};
  PODSIM_ASSIGN_OR_RETURN(const std::vector<std::int64_t> steps,
                          ListSteps(store, path));
  if (steps.empty())
    PODSIM_RETURN_IF_ERROR(FindCheckpoint(store, path).status());
  std::vector<std::string> paths;
  paths.reserve(steps.size());
  for (const std::int64_t step : steps) paths.push_back(StepPath(path, step));
  return paths;
}

// Of a store that did not answer once: whether it still does not.
bool IsGone(ObjectStore& store, const std::string& path) {
  return absl::IsUnavailable(store.List(path).status());
}

void VerifyEach(ObjectStore& store, const std::string& path,
                const std::vector<std::string>& paths, CkptResult& result) {
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::string& each = paths[i];
    const absl::StatusOr<CheckpointAt> found = VerifyCheckpoint(store, each);
    if (found.ok()) {
      absl::StrAppend(&result.text, each, ": good, step ",
                      FormatCount(found->step), ", ",
                      FormatCounted(found->manifest.files_size(), "file"), ", ",
                      FormatBytes(BytesOf(found->manifest)), "\n");
      continue;
    }
    if (RenamedFrom(found.status())) {
      absl::StrAppend(&result.text, std::string(found.status().message()),
                      "\n");
      continue;
    }
    const bool gone =
        absl::IsUnavailable(found.status()) && IsGone(store, path);
    // A running job deletes old ones; of the next reading it is no part.
    if (!gone && each != path && HasVanished(store, path, each)) continue;
    // Of what may not be read nothing is known.
    if (!absl::IsPermissionDenied(found.status()))
      result.exit_code = kDiffers;
    else if (result.exit_code == 0)
      result.exit_code = kRefused;
    absl::StrAppend(&result.error, WithWayOn(found.status(), each).message(),
                    "\n");
    if (!gone) continue;
    if (i + 1 < paths.size())
      absl::StrAppend(&result.error, paths.size() - i - 1,
                      " more were not looked at: the store does not answer\n");
    break;
  }
}

absl::Status Verify(ObjectStore& store, const std::string& path,
                    CkptResult& result) {
  for (int look = 0; look < kLooks; ++look) {
    PODSIM_ASSIGN_OR_RETURN(const std::vector<std::string> paths,
                            PathsToVerify(store, path));
    VerifyEach(store, path, paths, result);
    if (!result.text.empty() || !result.error.empty()) return absl::OkStatus();
  }
  return DeletedEachTime(path);
}

// "diff runs/a 20" and "diff runs/a/4 20": a step of the first path's run.
absl::Status CheckIsNoStepAlone(ObjectStore& store, const std::string& a,
                                const std::string& b) {
  const auto step = ParseStep(b);
  if (!step || store.List(b).ok()) return absl::OkStatus();
  const std::size_t slash = a.rfind('/');
  const bool of_a_step = ParseStep(NameOf(a)) && slash != a.npos && slash > 0;
  const std::string path = StepPath(of_a_step ? a.substr(0, slash) : a, *step);
  if (!store.List(path).ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("there is no folder ", b,
                   "; a step is a directory of its model_dir: "
                   "pod_ckpt diff ",
                   a, " ", path));
}

absl::Status Diff(ObjectStore& store, const std::string& a,
                  const std::string& b, CkptResult& result) {
  PODSIM_RETURN_IF_ERROR(CheckIsNoStepAlone(store, a, b));
  PODSIM_ASSIGN_OR_RETURN(const FoundCheckpoint left, Find(store, a, result));
  PODSIM_ASSIGN_OR_RETURN(const FoundCheckpoint right, Find(store, b, result));
  absl::StatusOr<Comparison> comparison = Compare(store, left.at, right.at);
  if (!comparison.ok())
    return WithWayOn(comparison.status(),
                     absl::StartsWith(comparison.status().message(),
                                      absl::StrCat(right.at.path, "/"))
                         ? right.at.path
                         : left.at.path);
  result.text = std::move(comparison->text);
  if (!comparison->equal) result.exit_code = kDiffers;
  return absl::OkStatus();
}

absl::Status Print(absl::StatusOr<std::string> text, CkptResult& result) {
  PODSIM_RETURN_IF_ERROR(text.status());
  result.text = *std::move(text);
  return absl::OkStatus();
}

absl::Status Run(const CkptFlags& flags, ObjectStore& store, absl::Time now,
                 int width, CkptResult& result) {
  for (const std::string& given : flags.settings.path())
    PODSIM_RETURN_IF_ERROR(CheckServed(given));
  const std::string& path = flags.settings.path(0);
  if (flags.settings.command() == words::CkptCommand::ls)
    return Ls(store, path, now, width, result);
  if (flags.settings.command() == words::CkptCommand::show)
    return Show(store, path, now, result);
  if (flags.settings.command() == words::CkptCommand::verify)
    return Verify(store, path, result);
  if (flags.settings.command() == words::CkptCommand::adopt)
    return Print(AdoptCheckpoints(store, path), result);
  if (flags.settings.command() == words::CkptCommand::clean)
    return Print(CleanLeftovers(store, path), result);
  return Diff(store, path, flags.settings.path(1), result);
}

void Fail(const absl::Status& status, const std::vector<std::string>& args,
          CkptResult& result) {
  const bool refused = absl::IsNotFound(status) ||
                       absl::IsInvalidArgument(status) ||
                       absl::IsPermissionDenied(status);
  result.exit_code = refused ? kRefused : kDiffers;
  absl::StrAppend(&result.error,
                  std::string(NamePasted(status, PodCkpt(), args).message()),
                  "\n");
}

}  // namespace

CkptResult RunCkpt(const std::vector<std::string>& args, ObjectStore& store,
                   absl::Time now, int width) {
  CkptResult result;
  absl::StatusOr<CkptFlags> flags = ParseCkptFlags(args);
  if (!flags.ok()) {
    Fail(flags.status(), args, result);
    return result;
  }
  if (!flags->text.empty()) {
    result.text = std::move(flags->text);
    return result;
  }
  const absl::Status status = Run(*flags, store, now, width, result);
  if (status.ok()) return result;
  const bool refused =
      absl::IsNotFound(status) || absl::IsInvalidArgument(status);
  const absl::Status folders =
      refused ? CheckAreFolders(store, flags->settings) : absl::OkStatus();
  Fail(folders.ok() ? status : folders, args, result);
  return result;
}

}  // namespace podsim
