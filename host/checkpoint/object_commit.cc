#include "host/checkpoint/object_commit.h"

#include <algorithm>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "host/checkpoint/catalog.h"
#include "host/checkpoint/layout.h"

namespace podsim {
namespace {

using Version = ConditionalObjects::Version;

std::string MarkerOf(const std::string& model_dir, std::int64_t step) {
  return absl::StrCat(StepPath(model_dir, step), "/", kMarkerName);
}

// Where the marker is copied from.
std::string SourceOf(const std::string& model_dir, std::int64_t step,
                     std::int64_t stamp) {
  return absl::StrCat(StampPath(model_dir, step, stamp), "/", kMarkerName);
}

std::string MarkerText(std::int64_t stamp) { return absl::StrCat(stamp, "\n"); }

absl::Status Announced(const AnnounceChange& announce,
                       const std::string& change) {
  return announce == nullptr ? absl::OkStatus() : announce(change);
}

// Those that markers are copied from first. What another has deleted meanwhile
// is gone as well.
absl::Status DeleteFiles(ObjectStore& store, std::vector<std::string> files) {
  std::stable_partition(files.begin(), files.end(), [](const auto& file) {
    return NameOf(file) == kMarkerName;
  });
  for (const std::string& file : files) {
    const absl::Status status = store.Delete(file);
    if (!status.ok() && !absl::IsNotFound(status)) return status;
  }
  return absl::OkStatus();
}

absl::Status Mark(ObjectStore& store, const std::string& model_dir,
                  std::int64_t step, std::int64_t stamp) {
  const std::string marker = MarkerOf(model_dir, step);
  ConditionalObjects& objects = *store.Conditional(marker);
  const absl::Status status =
      objects.CopyIf(SourceOf(model_dir, step, stamp), marker, 0);
  if (!absl::IsAborted(status)) return status;
  PODSIM_ASSIGN_OR_RETURN(const auto there, objects.ReadVersion(marker));
  if (there && there->bytes == MarkerText(stamp)) return absl::OkStatus();
  return absl::AlreadyExistsError(absl::StrCat(
      StepPath(model_dir, step), " was committed by another job meanwhile"));
}

// What the marker was copied from, the marker if it is still of `generation`,
// then the other files.
absl::Status Unmark(ObjectStore& store, const std::string& marker,
                    std::int64_t generation,
                    const std::vector<std::string>& files) {
  for (const std::string& file : files)
    if (NameOf(file) == kMarkerName)
      PODSIM_RETURN_IF_ERROR(DeleteFiles(store, {file}));
  const absl::Status status =
      store.Conditional(marker)->DeleteIf(marker, generation);
  // Done already by who took over, or who had been taken over.
  if (absl::IsAborted(status)) return absl::OkStatus();
  if (!status.ok() && !absl::IsNotFound(status)) return status;
  return DeleteFiles(store, files);
}

absl::Status AddFiles(ObjectStore& store, const std::string& directory,
                      std::vector<std::string>& files) {
  PODSIM_ASSIGN_OR_RETURN(const auto below, FilesBelow(store, directory));
  files.insert(files.end(), below.begin(), below.end());
  return absl::OkStatus();
}

// Of one step's directory: what belongs to no commit.
absl::Status AddLeftOver(ObjectStore& store, const std::string& path,
                         std::vector<std::string>& files) {
  PODSIM_ASSIGN_OR_RETURN(const bool committed, IsCommitted(store, path));
  if (!committed) return AddFiles(store, path, files);
  PODSIM_ASSIGN_OR_RETURN(const std::string kept, FilesOf(store, path));
  if (kept == path) return absl::OkStatus();
  PODSIM_ASSIGN_OR_RETURN(const auto names, store.List(path));
  for (const std::string& name : names)
    if (ParseStep(name) && name.back() == '/' && NameOf(name) != NameOf(kept))
      PODSIM_RETURN_IF_ERROR(
          AddFiles(store, absl::StrCat(path, "/", NameOf(name)), files));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<std::string>> FilesBelow(
    ObjectStore& store, const std::string& directory) {
  std::vector<std::string> files;
  const auto names = store.List(directory);
  if (absl::IsNotFound(names.status())) return files;
  PODSIM_RETURN_IF_ERROR(names.status());
  for (const std::string& name : *names) {
    const std::string path = absl::StrCat(directory, "/", name);
    if (name.back() != '/') {
      files.push_back(path);
    } else {
      PODSIM_RETURN_IF_ERROR(
          AddFiles(store, path.substr(0, path.size() - 1), files));
    }
  }
  return files;
}

absl::Status PublishObjects(ObjectStore& store, const std::string& model_dir,
                            std::int64_t step, std::int64_t stamp,
                            const AnnounceChange& announce) {
  PODSIM_RETURN_IF_ERROR(
      store.Write(SourceOf(model_dir, step, stamp), MarkerText(stamp)));
  PODSIM_RETURN_IF_ERROR(
      Announced(announce, absl::StrCat("commit ", step, " ", stamp)));
  const absl::Status marked = Mark(store, model_dir, step, stamp);
  if (absl::IsNotFound(marked))
    return absl::FailedPreconditionError(
        absl::StrCat(StepPath(model_dir, step),
                     " was cleared away meanwhile: another job has taken ",
                     model_dir, " over"));
  PODSIM_RETURN_IF_ERROR(marked);
  return Announced(announce, "");
}

absl::Status RetireObjects(ObjectStore& store, const std::string& model_dir,
                           std::int64_t step, const AnnounceChange& announce) {
  const std::string path = StepPath(model_dir, step);
  const std::string marker = MarkerOf(model_dir, step);
  PODSIM_ASSIGN_OR_RETURN(const std::optional<Version> marked,
                          store.Conditional(marker)->ReadVersion(marker));
  if (!marked) return absl::OkStatus();
  PODSIM_ASSIGN_OR_RETURN(const std::string directory, FilesOf(store, path));
  PODSIM_ASSIGN_OR_RETURN(auto files, FilesBelow(store, directory));
  files.erase(std::remove(files.begin(), files.end(), marker), files.end());
  PODSIM_RETURN_IF_ERROR(Announced(
      announce, absl::StrCat("retire ", step, " ", marked->generation)));
  PODSIM_RETURN_IF_ERROR(Unmark(store, marker, marked->generation, files));
  return Announced(announce, "");
}

absl::Status CleanObjects(ObjectStore& store, const std::string& model_dir,
                          const AnnounceChange& announce) {
  const auto names = store.List(model_dir);
  if (absl::IsNotFound(names.status())) return absl::OkStatus();
  PODSIM_RETURN_IF_ERROR(names.status());
  std::vector<std::string> files;
  for (const std::string& name : *names) {
    if (name.back() != '/') continue;
    const std::string path = absl::StrCat(model_dir, "/", NameOf(name));
    if (ParseUnfinished(name)) {
      PODSIM_RETURN_IF_ERROR(AddFiles(store, path, files));
    } else if (ParseStep(name)) {
      PODSIM_RETURN_IF_ERROR(AddLeftOver(store, path, files));
    }
  }
  if (files.empty()) return absl::OkStatus();
  PODSIM_RETURN_IF_ERROR(Announced(announce, "clean"));
  PODSIM_RETURN_IF_ERROR(DeleteFiles(store, files));
  return Announced(announce, "");
}

absl::Status SetObjectsAside(ObjectStore& store, const std::string& model_dir,
                             std::int64_t step, const std::string& to,
                             const AnnounceChange& announce) {
  const std::string from = StepPath(model_dir, step);
  const std::string marker = MarkerOf(model_dir, step);
  PODSIM_ASSIGN_OR_RETURN(auto files, FilesBelow(store, from));
  std::stable_partition(files.begin(), files.end(),
                        [&](const auto& file) { return file != marker; });
  for (const std::string& file : files) {
    PODSIM_ASSIGN_OR_RETURN(const std::string bytes, store.Read(file));
    PODSIM_RETURN_IF_ERROR(
        store.Write(absl::StrCat(to, file.substr(from.size())), bytes));
  }
  return RetireObjects(store, model_dir, step, announce);
}

absl::Status FinishChange(ObjectStore& store, const std::string& model_dir,
                          const std::string& change) {
  const std::vector<std::string> words = absl::StrSplit(change, ' ');
  std::int64_t step = 0;
  std::int64_t number = 0;
  const bool numbers = words.size() == 3 && absl::SimpleAtoi(words[1], &step) &&
                       absl::SimpleAtoi(words[2], &number);
  if (change.empty() || change == "clean") return absl::OkStatus();
  if (numbers && words[0] == "commit") {
    const absl::Status marked = Mark(store, model_dir, step, number);
    // Another's by now, or nobody's any more.
    return absl::IsAlreadyExists(marked) || absl::IsNotFound(marked)
               ? absl::OkStatus()
               : marked;
  }
  if (numbers && words[0] == "retire") {
    // What else there was of it has no marker now, and is cleared away.
    const std::string marker = MarkerOf(model_dir, step);
    return Unmark(store, marker, number, /*files=*/{});
  }
  return absl::FailedPreconditionError(absl::StrCat(
      model_dir, ": its last holder announced '", change,
      "', which this podsim does not know; go on with a newer one"));
}

}  // namespace podsim
