#include "host/checkpoint/object_commit.h"

#include <algorithm>
#include <optional>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "host/checkpoint/layout.h"
#include "host/checkpoint/locate.h"
#include "host/checkpoint/ownership.h"

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

// Of a marker that another wrote.
constexpr std::size_t kMostQuoted = 40;

std::string MarkerText(std::int64_t stamp) { return absl::StrCat(stamp, "\n"); }

using Listed = ConditionalObjects::Listed;

// Of what was not found when it was to be copied: `status` if the store still
// has none; one answer decides nothing.
absl::Status CheckSourceIsGone(ObjectStore& store, const std::string& source,
                               const absl::Status& status) {
  const auto there = store.Stat(source);
  if (absl::IsNotFound(there.status())) return status;
  PODSIM_RETURN_IF_ERROR(there.status());
  return absl::UnavailableError(absl::StrCat(status.message(), ", though ",
                                             source, " is there; try again"));
}

// The marker, if there is none and what it is copied from is there.
absl::Status Mark(ObjectStore& store, const std::string& model_dir,
                  std::int64_t step, std::int64_t stamp) {
  const std::string marker = MarkerOf(model_dir, step);
  const std::string source = SourceOf(model_dir, step, stamp);
  ConditionalObjects& objects = *store.Conditional(marker);
  const absl::Status status = objects.CopyIf(source, marker, 0);
  if (absl::IsNotFound(status)) return CheckSourceIsGone(store, source, status);
  if (!absl::IsAborted(status)) return status;
  PODSIM_ASSIGN_OR_RETURN(const auto there, objects.ReadVersion(marker));
  if (there && there->bytes == MarkerText(stamp)) return absl::OkStatus();
  if (!there) return absl::UnavailableError(std::string(status.message()));
  return absl::AlreadyExistsError(
      absl::StrCat(marker, " is there, and not this job's: it says \"",
                   absl::CEscape(there->bytes.substr(0, kMostQuoted)),
                   "\"; move it away, or give another --model_dir"));
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

// Whether the step there is the one of the record: by the marker's stamp and
// the manifest. What pod_ckpt adopt took over damaged has no hash.
absl::StatusOr<bool> IsOwn(ObjectStore& store, const std::string& path,
                           const std::optional<Version>& marker,
                           const OwnStep& own) {
  if (marker && ParseMarker(marker->bytes).value_or(0) != own.stamp)
    return false;
  if (own.manifest_sha256.empty()) return false;
  PODSIM_ASSIGN_OR_RETURN(
      const Whose whose,
      WhoseAre(store,
               own.stamp == 0 ? path : absl::StrCat(path, "/", own.stamp),
               own));
  return whose == Whose::kOwn;
}

}  // namespace

absl::Status PublishObjects(HeldDir& held, const OwnStep& own) {
  PODSIM_RETURN_IF_ERROR(held.store().Write(
      SourceOf(held.path(), own.step, own.stamp), MarkerText(own.stamp)));
  PODSIM_RETURN_IF_ERROR(
      held.Announce(absl::StrCat("commit ", own.step, " ", own.stamp)));
  PODSIM_RETURN_IF_ERROR(Mark(held.store(), held.path(), own.step, own.stamp));
  PODSIM_RETURN_IF_ERROR(
      held.Note([&](JobRecord& record) { record.Put(own); }));
  return held.Announce("");
}

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

absl::Status RemoveObjects(HeldDir& held, std::int64_t step,
                           std::vector<Listed> files,
                           std::optional<std::int64_t> marker) {
  ObjectStore& store = held.store();
  const std::string path = StepPath(held.path(), step);
  PODSIM_RETURN_IF_ERROR(
      held.Announce(marker ? absl::StrCat("retire ", step, " ", *marker)
                           : std::string("clean")));
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
  if (marker)
    PODSIM_RETURN_IF_ERROR(Unmark(store, MarkerOf(held.path(), step), *marker));
  PODSIM_RETURN_IF_ERROR(DeleteFiles(store, path, {rest, files.end()}));
  return held.Announce("");
}

absl::StatusOr<bool> RetireObjects(HeldDir& held, const OwnStep& own) {
  ObjectStore& store = held.store();
  const std::string path = StepPath(held.path(), own.step);
  ConditionalObjects& objects = *store.Conditional(path);
  PODSIM_ASSIGN_OR_RETURN(const auto tree, objects.ListTree(path));
  PODSIM_ASSIGN_OR_RETURN(const auto marked,
                          objects.ReadVersion(MarkerOf(held.path(), own.step)));
  PODSIM_ASSIGN_OR_RETURN(const bool ours, IsOwn(store, path, marked, own));
  if (!ours) return false;
  std::optional<std::int64_t> marker;
  if (marked) marker = marked->generation;
  PODSIM_RETURN_IF_ERROR(
      RemoveObjects(held, own.step, FilesOfOwn(tree, own), marker));
  return true;
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
  PODSIM_ASSIGN_OR_RETURN(
      const std::string hash,
      HashOfManifest(held.store(), StampPath(held.path(), step, stamp)));
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
