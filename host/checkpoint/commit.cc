#include "host/checkpoint/commit.h"

#include <algorithm>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/status.h"
#include "base/units.h"
#include "host/checkpoint/catalog.h"
#include "host/checkpoint/layout.h"
#include "host/checkpoint/manifest.h"
#include "host/checkpoint/object_commit.h"
#include "host/checkpoint/parts_path.h"
#include "host/checkpoint/sums.h"

namespace podsim {
namespace {

// Beside the stamps of writers, which are positive: a checkpoint on its way
// out.
constexpr std::int64_t kRetiredStamp = 0;

absl::Status DeleteIfThere(ObjectStore& store, const std::string& directory) {
  absl::Status status = store.DeleteTree(directory);
  return absl::IsNotFound(status) ? absl::OkStatus() : status;
}

absl::Status Retire(ObjectStore& store, const std::string& model_dir,
                    std::int64_t step, const AnnounceChange& announce) {
  const std::string path = StepPath(model_dir, step);
  if (!store.CanRename(path))
    return RetireObjects(store, model_dir, step, announce);
  const std::string retired = UnfinishedPath(model_dir, step, kRetiredStamp);
  PODSIM_RETURN_IF_ERROR(DeleteIfThere(store, retired));
  PODSIM_RETURN_IF_ERROR(store.Rename(path, retired));
  absl::Status status = store.DeleteTree(retired);
  // A link: it goes, what it leads to is not this model_dir's.
  return absl::IsNotFound(status) ? store.Delete(retired) : status;
}

// What has the name that a new checkpoint is to get.
enum class Present { kNothing, kSame, kDamaged };

absl::StatusOr<Present> FindPresent(ObjectStore& store, const std::string& path,
                                    const CheckpointManifest& manifest) {
  const absl::StatusOr<CheckpointAt> found = VerifyCheckpoint(store, path);
  if (absl::IsNotFound(found.status())) return Present::kNothing;
  if (absl::IsDataLoss(found.status())) return Present::kDamaged;
  PODSIM_ASSIGN_OR_RETURN(const bool committed, IsCommitted(store, path));
  // Of objects, somebody's parts.
  if (!committed)
    return store.CanRename(path) ? Present::kDamaged : Present::kNothing;
  PODSIM_RETURN_IF_ERROR(found.status());
  const CheckpointManifest& other = found->manifest;
  if (other.plan_hash() == manifest.plan_hash() &&
      other.examples_consumed() == manifest.examples_consumed())
    return Present::kSame;
  return absl::AlreadyExistsError(absl::StrCat(
      path, " is the checkpoint of another run: plan ", other.plan_hash(),
      " after ", other.examples_consumed(), " examples, not plan ",
      manifest.plan_hash(), " after ", manifest.examples_consumed(),
      "; give another --model_dir, or move that one away"));
}

// Exactly the manifest's files lie there; what an earlier attempt to commit
// left is written again.
absl::Status CheckParts(ObjectStore& store, const std::string& directory,
                        const CheckpointManifest& manifest) {
  const auto names = store.List(directory);
  if (!absl::IsNotFound(names.status())) PODSIM_RETURN_IF_ERROR(names.status());
  std::set<std::string> there;
  if (names.ok()) there.insert(names->begin(), names->end());
  for (const char* name : {kManifestName, kSumsName}) there.erase(name);
  for (const CheckpointFile& file : manifest.files()) {
    if (there.erase(file.name()) == 0)
      return absl::FailedPreconditionError(
          absl::StrCat(directory, "/", file.name(),
                       " is missing, though a host has written it; do all "
                       "hosts share this directory?"));
    PODSIM_ASSIGN_OR_RETURN(const std::int64_t bytes,
                            store.Size(directory + "/" + file.name()));
    if (bytes != file.bytes())
      return absl::FailedPreconditionError(
          absl::StrCat(directory, "/", file.name(), " has ", bytes, " bytes; ",
                       file.bytes(), " were written"));
  }
  if (there.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(directory, "/", *there.begin(),
                   " is no part of the checkpoint; who else writes there?"));
}

absl::Status WriteManifest(ObjectStore& store, const std::string& directory,
                           const CheckpointManifest& manifest) {
  const std::string json = ManifestJson(manifest);
  const auto bytes = static_cast<std::int64_t>(json.size());
  if (bytes > kMaxManifestBytes)
    return absl::InvalidArgumentError(absl::StrCat(
        kManifestName, " would have ", FormatBytes(bytes),
        "; no reader takes more than ", FormatBytes(kMaxManifestBytes)));
  Sums sums = {{kManifestName, Sha256Hex(json)}};
  for (const CheckpointFile& file : manifest.files())
    sums[file.name()] = file.sha256();
  PODSIM_RETURN_IF_ERROR(
      store.Write(absl::StrCat(directory, "/", kManifestName), json));
  return store.Write(absl::StrCat(directory, "/", kSumsName), FormatSums(sums));
}

}  // namespace

absl::Status CommitCheckpoint(ObjectStore& store, const std::string& model_dir,
                              std::int64_t stamp,
                              const CheckpointManifest& manifest,
                              const AnnounceChange& announce) {
  PODSIM_RETURN_IF_ERROR(
      Annotate(CheckManifest(manifest), "checkpoint manifest"));
  const std::string path = StepPath(model_dir, manifest.step());
  const std::string from = PartsPath(store, model_dir, manifest.step(), stamp);
  PODSIM_ASSIGN_OR_RETURN(const Present present,
                          FindPresent(store, path, manifest));
  if (present == Present::kSame) {
    // Or it is these parts, whose commit seemed to have failed.
    PODSIM_ASSIGN_OR_RETURN(const std::string files, FilesOf(store, path));
    return files == from ? absl::OkStatus() : DeleteIfThere(store, from);
  }
  PODSIM_RETURN_IF_ERROR(CheckParts(store, from, manifest));
  PODSIM_RETURN_IF_ERROR(WriteManifest(store, from, manifest));
  if (present == Present::kDamaged)
    PODSIM_RETURN_IF_ERROR(Retire(store, model_dir, manifest.step(), announce));
  if (store.CanRename(from)) return store.Rename(from, path);
  return PublishObjects(store, model_dir, manifest.step(), stamp, announce);
}

absl::Status PruneCheckpoints(
    ObjectStore& store, const std::string& model_dir, int keep,
    std::int64_t proved, const AnnounceChange& announce,
    const std::function<void(std::int64_t)>& on_deleted) {
  if (keep < 0)
    return absl::InvalidArgumentError(
        absl::StrCat("keep is ", keep, "; give 0 (all) or more"));
  if (keep == 0) return absl::OkStatus();
  PODSIM_ASSIGN_OR_RETURN(std::vector<std::int64_t> steps,
                          ListSteps(store, model_dir));
  while (!steps.empty() && steps.back() > proved) steps.pop_back();
  // From the newest back to the first that has `keep` newer ones.
  for (int kept = 0; kept < keep && !steps.empty(); steps.pop_back()) {
    const std::string path = StepPath(model_dir, steps.back());
    absl::Status status = ReadManifest(store, path).status();
    if (status.ok()) ++kept;
    if (!status.ok() && !SpeaksOfTheCheckpoint(store, path, status))
      return status;
  }
  for (const std::int64_t step : steps) {
    PODSIM_RETURN_IF_ERROR(Retire(store, model_dir, step, announce));
    if (on_deleted != nullptr) on_deleted(step);
  }
  return absl::OkStatus();
}

absl::Status CleanUnfinished(ObjectStore& store, const std::string& model_dir,
                             const AnnounceChange& announce) {
  if (!store.CanRename(model_dir))
    return CleanObjects(store, model_dir, announce);
  const auto names = store.List(model_dir);
  if (absl::IsNotFound(names.status())) return absl::OkStatus();
  PODSIM_RETURN_IF_ERROR(names.status());
  for (const std::string& name : *names) {
    if (name.back() != '/') continue;
    if (ParseUnfinished(name))
      PODSIM_RETURN_IF_ERROR(
          DeleteIfThere(store, absl::StrCat(model_dir, "/", name)));
  }
  return absl::OkStatus();
}

absl::Status SetAsideNewer(ObjectStore& store, const std::string& model_dir,
                           std::int64_t step, std::int64_t stamp,
                           const AnnounceChange& announce) {
  PODSIM_ASSIGN_OR_RETURN(const std::vector<std::int64_t> steps,
                          ListSteps(store, model_dir));
  for (const std::int64_t newer : steps) {
    if (newer <= step) continue;
    const std::string to = SetAsidePath(model_dir, newer, stamp);
    PODSIM_RETURN_IF_ERROR(
        store.CanRename(model_dir)
            ? store.Rename(StepPath(model_dir, newer), to)
            : SetObjectsAside(store, model_dir, newer, to, announce));
  }
  return absl::OkStatus();
}

}  // namespace podsim
