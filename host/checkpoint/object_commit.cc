#include "host/checkpoint/object_commit.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/hash.h"
#include "base/status.h"
#include "host/checkpoint/folders.h"
#include "host/checkpoint/layout.h"
#include "host/checkpoint/manifest.h"
#include "host/storage/bounded_read.h"

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

using Listed = ConditionalObjects::Listed;

// Deletes what was listed, unless it was written anew: those that markers are
// copied from first. What another has deleted meanwhile is gone as well.
absl::Status DeleteFiles(ObjectStore& store, const std::string& directory,
                         std::vector<Listed> files) {
  std::stable_partition(files.begin(), files.end(), [](const Listed& file) {
    return NameOf(file.name) == kMarkerName;
  });
  for (const Listed& file : files) {
    const std::string path = absl::StrCat(directory, "/", file.name);
    const absl::Status status =
        store.Conditional(path)->DeleteIf(path, file.generation);
    if (!status.ok() && !absl::IsNotFound(status) && !absl::IsAborted(status))
      return status;
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

// The marker, if it is still of `generation`.
absl::Status Unmark(ObjectStore& store, const std::string& marker,
                    std::int64_t generation) {
  const absl::Status status =
      store.Conditional(marker)->DeleteIf(marker, generation);
  // Done already by who took over, or who had been taken over.
  return absl::IsAborted(status) || absl::IsNotFound(status) ? absl::OkStatus()
                                                             : status;
}

bool StartsWith(const std::string& name, const std::string& prefix) {
  return name.compare(0, prefix.size(), prefix) == 0;
}

// The step's own files: below its stamp, or directly in its directory.
std::vector<Listed> FilesOfOwn(const std::vector<Listed>& tree,
                               const OwnStep& own) {
  std::vector<Listed> files;
  const std::string below = absl::StrCat(own.stamp, "/");
  for (const Listed& file : tree) {
    const bool direct = file.name.find('/') == std::string::npos;
    if (own.stamp == 0 ? direct && file.name != kMarkerName
                       : StartsWith(file.name, below))
      files.push_back(file);
  }
  return files;
}

// Whether the step there is the one of the record: by the marker's stamp, or of
// a copy by its manifest.
absl::StatusOr<bool> IsOwn(ObjectStore& store, const std::string& path,
                           const std::optional<Version>& marker,
                           const OwnStep& own) {
  if (marker && ParseMarker(marker->bytes).value_or(0) != own.stamp)
    return false;
  if (own.stamp != 0) return true;
  const auto json = ReadAtMost(store, absl::StrCat(path, "/", kManifestName),
                               kMaxManifestBytes);
  return json.ok() && Sha256Hex(*json) == own.manifest_sha256;
}

// Of the files of a model_dir, those that writers of ours left.
class LeftOver {
 public:
  LeftOver(ObjectStore& store, const std::string& model_dir,
           const JobRecord& record, const std::vector<Listed>& tree)
      : store_(store),
        model_dir_(model_dir),
        record_(record),
        folders_(FoldersOf(tree)) {
    for (const Listed& file : tree)
      if (NameOf(file.name) == kMarkerName) markers_.insert(file.name);
  }

  absl::StatusOr<bool> Has(const std::string& name) {
    const std::vector<std::string> parts = absl::StrSplit(name, '/');
    if (const auto unfinished = ParseUnfinished(parts[0]))
      return record_.HasBegun(unfinished->stamp);
    if (const auto witness = ParseWitness(parts[0]))
      return record_.HasBegun(*witness);
    if (const auto aside = ParseSetAside(parts[0]))
      return record_.HasBegun(aside->stamp) &&
             markers_.count(absl::StrCat(parts[0], "/", kMarkerName)) == 0;
    const auto step = ParseStep(parts[0]);
    if (!step || parts.size() < 2) return false;
    if (parts.size() == 2) return IsRetired(*step);
    const auto stamp = ParseStep(parts[1]);
    if (!stamp || !record_.IsLeftOver(*step, *stamp)) return false;
    PODSIM_ASSIGN_OR_RETURN(const std::int64_t marked, Marked(*step));
    return marked != *stamp;
  }

 private:
  // A copy that was taken over, half deleted.
  bool IsRetired(std::int64_t step) const {
    const OwnStep* const own = record_.Find(step);
    const auto folder = folders_.find(step);
    return own != nullptr && own->retiring && own->stamp == 0 &&
           folder != folders_.end() && !folder->second.marked &&
           !StepFolder::IsWhole(folder->second.direct);
  }
  // The stamp that the step's marker says; -1: none.
  absl::StatusOr<std::int64_t> Marked(std::int64_t step) {
    const auto folder = folders_.find(step);
    if (folder == folders_.end() || !folder->second.marked) return -1;
    const auto known = marked_.find(step);
    if (known != marked_.end()) return known->second;
    const std::string marker = MarkerOf(model_dir_, step);
    PODSIM_ASSIGN_OR_RETURN(const auto there,
                            store_.Conditional(marker)->ReadVersion(marker));
    const std::int64_t stamp =
        there ? ParseMarker(there->bytes).value_or(0) : -1;
    return marked_[step] = stamp;
  }

  ObjectStore& store_;
  const std::string model_dir_;
  const JobRecord& record_;
  const std::map<std::int64_t, StepFolder> folders_;
  std::set<std::string> markers_;
  std::map<std::int64_t, std::int64_t> marked_;
};

}  // namespace

absl::Status PublishObjects(HeldDir& held, const OwnStep& own) {
  PODSIM_RETURN_IF_ERROR(held.store().Write(
      SourceOf(held.path(), own.step, own.stamp), MarkerText(own.stamp)));
  PODSIM_RETURN_IF_ERROR(
      held.Announce(absl::StrCat("commit ", own.step, " ", own.stamp)));
  const absl::Status marked =
      Mark(held.store(), held.path(), own.step, own.stamp);
  if (absl::IsNotFound(marked))
    return absl::FailedPreconditionError(
        absl::StrCat(StepPath(held.path(), own.step),
                     " was cleared away meanwhile: another job has taken ",
                     held.path(), " over"));
  PODSIM_RETURN_IF_ERROR(marked);
  PODSIM_RETURN_IF_ERROR(
      held.Note([&](JobRecord& record) { record.Put(own); }));
  return held.Announce("");
}

absl::StatusOr<bool> RetireObjects(HeldDir& held, const OwnStep& own) {
  ObjectStore& store = held.store();
  const std::string path = StepPath(held.path(), own.step);
  const std::string marker = MarkerOf(held.path(), own.step);
  ConditionalObjects& objects = *store.Conditional(path);
  PODSIM_ASSIGN_OR_RETURN(const auto tree, objects.ListTree(path));
  PODSIM_ASSIGN_OR_RETURN(const auto marked, objects.ReadVersion(marker));
  PODSIM_ASSIGN_OR_RETURN(const bool ours, IsOwn(store, path, marked, own));
  if (!ours) return false;
  PODSIM_RETURN_IF_ERROR(held.Announce(
      marked ? absl::StrCat("retire ", own.step, " ", marked->generation)
             : std::string("clean")));
  std::vector<Listed> files = FilesOfOwn(tree, own);
  // What the marker is copied from, it, the manifest, and the rest: no reader
  // finds a checkpoint that lacks a file.
  const auto first = [&](const char* name) {
    return std::stable_partition(
        files.begin(), files.end(),
        [name](const Listed& file) { return NameOf(file.name) == name; });
  };
  first(kManifestName);
  const auto rest = first(kMarkerName);
  PODSIM_RETURN_IF_ERROR(DeleteFiles(store, path, {files.begin(), rest}));
  if (marked) PODSIM_RETURN_IF_ERROR(Unmark(store, marker, marked->generation));
  PODSIM_RETURN_IF_ERROR(DeleteFiles(store, path, {rest, files.end()}));
  PODSIM_RETURN_IF_ERROR(held.Announce(""));
  return true;
}

absl::Status CleanObjects(HeldDir& held) {
  ObjectStore& store = held.store();
  PODSIM_ASSIGN_OR_RETURN(
      const std::vector<Listed> tree,
      store.Conditional(held.path())->ListTree(held.path()));
  LeftOver left_over(store, held.path(), held.record(), tree);
  std::vector<Listed> files;
  for (const Listed& file : tree) {
    PODSIM_ASSIGN_OR_RETURN(const bool goes, left_over.Has(file.name));
    if (goes) files.push_back(file);
  }
  if (files.empty()) return absl::OkStatus();
  PODSIM_RETURN_IF_ERROR(held.Announce("clean"));
  PODSIM_RETURN_IF_ERROR(DeleteFiles(store, held.path(), std::move(files)));
  return held.Announce("");
}

absl::Status SetObjectsAside(HeldDir& held, const OwnStep& own,
                             const std::string& to) {
  ObjectStore& store = held.store();
  const std::string from = StepPath(held.path(), own.step);
  PODSIM_ASSIGN_OR_RETURN(auto files, store.Conditional(from)->ListTree(from));
  std::stable_partition(files.begin(), files.end(), [](const Listed& file) {
    return file.name != kMarkerName;
  });
  for (const Listed& file : files) {
    PODSIM_ASSIGN_OR_RETURN(const std::string bytes,
                            store.Read(absl::StrCat(from, "/", file.name)));
    PODSIM_RETURN_IF_ERROR(
        store.Write(absl::StrCat(to, "/", file.name), bytes));
  }
  PODSIM_RETURN_IF_ERROR(
      held.Note([&](JobRecord& record) { record.Retire(own.step); }));
  return RetireObjects(held, own).status();
}

namespace {

// A commit that the holder before had announced: its marker, if it is nobody
// else's yet and the files are there, and its place on the record.
absl::Status FinishCommit(HeldDir& held, std::int64_t step,
                          std::int64_t stamp) {
  const absl::Status marked = Mark(held.store(), held.path(), step, stamp);
  if (absl::IsAlreadyExists(marked) || absl::IsNotFound(marked))
    return absl::OkStatus();
  PODSIM_RETURN_IF_ERROR(marked);
  const auto json = ReadAtMost(
      held.store(),
      absl::StrCat(StampPath(held.path(), step, stamp), "/", kManifestName),
      kMaxManifestBytes);
  if (!json.ok() && !absl::IsNotFound(json.status())) return json.status();
  return held.Note([&](JobRecord& record) {
    record.Put({.step = step,
                .stamp = stamp,
                .manifest_sha256 = json.ok() ? Sha256Hex(*json) : ""});
  });
}

}  // namespace

absl::Status FinishChange(HeldDir& held, const std::string& change) {
  const std::vector<std::string> words = absl::StrSplit(change, ' ');
  std::int64_t step = 0;
  std::int64_t number = 0;
  const bool numbers = words.size() == 3 && absl::SimpleAtoi(words[1], &step) &&
                       absl::SimpleAtoi(words[2], &number);
  if (change.empty() || change == "clean") return absl::OkStatus();
  if (numbers && words[0] == "commit") return FinishCommit(held, step, number);
  if (numbers && words[0] == "retire") {
    // What else there was of it has no marker now, and is cleared away. Where
    // nobody may delete, it stays: the holder before has not deleted it either.
    const absl::Status unmarked =
        Unmark(held.store(), MarkerOf(held.path(), step), number);
    return absl::IsPermissionDenied(unmarked) ? absl::OkStatus() : unmarked;
  }
  return absl::FailedPreconditionError(absl::StrCat(
      held.path(), ": its last holder announced '", change,
      "', which this podsim does not know; go on with a newer one"));
}

}  // namespace podsim
