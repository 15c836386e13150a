#include "host/checkpoint/object_commit.h"

#include <algorithm>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "host/checkpoint/layout.h"
#include "host/checkpoint/locate.h"

namespace podsim {

std::string MarkerOf(const std::string& model_dir, std::int64_t step) {
  return absl::StrCat(StepPath(model_dir, step), "/", kMarkerName);
}

absl::Status DeleteFiles(ObjectStore& store, const std::string& directory,
                         std::vector<ConditionalObjects::Listed> files) {
  std::stable_partition(files.begin(), files.end(), [](const auto& file) {
    return NameOf(file.name) == kMarkerName;
  });
  for (const auto& file : files) {
    const std::string path = absl::StrCat(directory, "/", file.name);
    const absl::Status status =
        store.Conditional(path)->DeleteIf(path, file.generation);
    if (!status.ok() && !absl::IsNotFound(status) && !absl::IsAborted(status))
      return status;
  }
  return absl::OkStatus();
}

namespace {

using Version = ConditionalObjects::Version;

// Where the marker is copied from.
std::string SourceOf(const std::string& model_dir, std::int64_t step,
                     std::int64_t stamp) {
  return absl::StrCat(StampPath(model_dir, step, stamp), "/", kMarkerName);
}

std::string MarkerText(std::int64_t stamp) { return absl::StrCat(stamp, "\n"); }

using Listed = ConditionalObjects::Listed;

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
  const std::string hash = HashOfManifest(store, path);
  return !hash.empty() && hash == own.manifest_sha256;
}

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

namespace {

// Of a directory that will be deleted once it is copied: a wrong answer would
// leave files out of the copy.
absl::StatusOr<std::vector<Listed>> ListTwice(ObjectStore& store,
                                              const std::string& path) {
  ConditionalObjects& objects = *store.Conditional(path);
  PODSIM_ASSIGN_OR_RETURN(auto files, objects.ListTree(path));
  PODSIM_ASSIGN_OR_RETURN(const auto again, objects.ListTree(path));
  const bool same =
      std::equal(files.begin(), files.end(), again.begin(), again.end(),
                 [](const Listed& a, const Listed& b) {
                   return a.name == b.name && a.generation == b.generation;
                 });
  if (!same)
    return absl::UnavailableError(
        absl::StrCat(path, ": two listings of the store differ; try again"));
  return files;
}

// `to` has each of `files` in its length.
absl::Status CheckCopy(ObjectStore& store, const std::vector<Listed>& files,
                       const std::string& to) {
  PODSIM_ASSIGN_OR_RETURN(const std::vector<Listed> copied,
                          store.Conditional(to)->ListTree(to));
  for (const Listed& file : files) {
    const bool whole =
        std::any_of(copied.begin(), copied.end(), [&](const Listed& copy) {
          return copy.name == file.name && copy.bytes == file.bytes;
        });
    if (!whole)
      return absl::UnavailableError(absl::StrCat(
          to, "/", file.name, " is missing or of another length than ",
          "what was copied there; try again"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status SetObjectsAside(HeldDir& held, const OwnStep& own,
                             const std::string& to) {
  ObjectStore& store = held.store();
  const std::string from = StepPath(held.path(), own.step);
  PODSIM_ASSIGN_OR_RETURN(auto files, ListTwice(store, from));
  std::stable_partition(files.begin(), files.end(), [](const Listed& file) {
    return file.name != kMarkerName;
  });
  for (const Listed& file : files) {
    PODSIM_ASSIGN_OR_RETURN(const std::string bytes,
                            store.Read(absl::StrCat(from, "/", file.name)));
    PODSIM_RETURN_IF_ERROR(
        store.Write(absl::StrCat(to, "/", file.name), bytes));
  }
  PODSIM_RETURN_IF_ERROR(CheckCopy(store, files, to));
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
  const std::string hash =
      HashOfManifest(held.store(), StampPath(held.path(), step, stamp));
  return held.Note([&](JobRecord& record) {
    record.Put({.step = step, .stamp = stamp, .manifest_sha256 = hash});
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
