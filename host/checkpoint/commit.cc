#include "host/checkpoint/commit.h"

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
#include "host/checkpoint/ownership.h"
#include "host/checkpoint/parts_path.h"
#include "host/checkpoint/renamed.h"
#include "host/checkpoint/sums.h"

namespace podsim {
namespace {

constexpr char kNotTheRecords[] =
    "its manifest is not the one that the record has";

absl::Status DeleteIfThere(ObjectStore& store, const std::string& directory) {
  absl::Status status = store.DeleteTree(directory);
  return absl::IsNotFound(status) ? absl::OkStatus() : status;
}

absl::Status InTheWay(const std::string& path, const std::string& why) {
  return absl::AlreadyExistsError(
      absl::StrCat(path, " is in the way and not this job's (", why,
                   "); move it away, or give another --model_dir"));
}

// For a checkpoint of a step whose name a damaged one of ours has.
absl::Status MakeRoom(HeldDir& held, std::int64_t step, std::int64_t stamp) {
  ObjectStore& store = held.store();
  const std::string path = StepPath(held.path(), step);
  const OwnStep own = *held.record().Find(step);
  PODSIM_RETURN_IF_ERROR(
      held.Note([&](JobRecord& record) { record.Retire(step); }));
  if (store.CanRename(held.path()))
    return store.Rename(path, SetAsidePath(held.path(), step, stamp));
  PODSIM_ASSIGN_OR_RETURN(const bool gone, RetireObjects(held, own));
  return gone ? absl::OkStatus() : InTheWay(path, kNotTheRecords);
}

// What has the name that a new checkpoint is to get.
enum class Present { kNothing, kSame, kDamaged };

// Whether the record lists the step, and nothing at `path` says that it is
// another's.
absl::StatusOr<bool> MayMove(const HeldDir& held, std::int64_t step,
                             const std::string& path) {
  const OwnStep* const own = held.record().Find(step);
  if (own == nullptr) return false;
  PODSIM_ASSIGN_OR_RETURN(const Whose whose, WhoseIs(held.store(), path, *own));
  return whose != Whose::kAnothers;
}

absl::StatusOr<Present> FindPresent(const HeldDir& held,
                                    const std::string& path,
                                    const CheckpointManifest& manifest) {
  ObjectStore& store = held.store();
  // Of objects, somebody's parts; a marker of ours beside them is right.
  PODSIM_ASSIGN_OR_RETURN(const bool committed, IsCommitted(store, path));
  if (!committed) return Present::kNothing;
  const absl::StatusOr<CheckpointAt> found = VerifyCheckpoint(store, path);
  if (absl::IsNotFound(found.status())) return Present::kNothing;
  if (absl::IsDataLoss(found.status()) || RenamedFrom(found.status())) {
    PODSIM_ASSIGN_OR_RETURN(const bool ours,
                            MayMove(held, manifest.step(), path));
    if (ours) return Present::kDamaged;
    return InTheWay(path, std::string(found.status().message()));
  }
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
                   " is no part of the checkpoint; move it away, or give "
                   "another --model_dir"));
}

// Gives the SHA-256 of the manifest.
absl::StatusOr<std::string> WriteManifest(ObjectStore& store,
                                          const std::string& directory,
                                          const CheckpointManifest& manifest) {
  const std::string json = ManifestJson(manifest);
  const auto bytes = static_cast<std::int64_t>(json.size());
  if (bytes > kMaxManifestBytes)
    return absl::InvalidArgumentError(absl::StrCat(
        kManifestName, " would have ", FormatBytes(bytes),
        "; no reader takes more than ", FormatBytes(kMaxManifestBytes)));
  const std::string sha256 = Sha256Hex(json);
  Sums sums = {{kManifestName, sha256}};
  for (const CheckpointFile& file : manifest.files())
    sums[file.name()] = file.sha256();
  PODSIM_RETURN_IF_ERROR(
      store.Write(absl::StrCat(directory, "/", kManifestName), json));
  PODSIM_RETURN_IF_ERROR(
      store.Write(absl::StrCat(directory, "/", kSumsName), FormatSums(sums)));
  return sha256;
}

// The checkpoint that was made again, or whose commit seemed to have failed, is
// there: its new parts go, if they are not it.
absl::Status KeepSame(HeldDir& held, std::int64_t step,
                      const std::string& parts) {
  const std::string path = StepPath(held.path(), step);
  PODSIM_ASSIGN_OR_RETURN(const CheckpointAt found,
                          ReadManifest(held.store(), path));
  const OwnStep own = OwnStepOf(found);
  if (held.record().HasBegun(own.stamp))
    PODSIM_RETURN_IF_ERROR(
        held.Note([&](JobRecord& record) { record.Put(own); }));
  if (found.files == parts) return absl::OkStatus();
  const absl::Status deleted = DeleteIfThere(held.store(), parts);
  // They are in nobody's way.
  return absl::IsPermissionDenied(deleted) ? absl::OkStatus() : deleted;
}

absl::Status Commit(HeldDir& held, std::int64_t stamp,
                    const CheckpointManifest& manifest) {
  ObjectStore& store = held.store();
  const std::int64_t step = manifest.step();
  const std::string path = StepPath(held.path(), step);
  const std::string from = PartsPath(store, held.path(), step, stamp);
  PODSIM_ASSIGN_OR_RETURN(const Present present,
                          FindPresent(held, path, manifest));
  if (present == Present::kSame) return KeepSame(held, step, from);
  PODSIM_RETURN_IF_ERROR(CheckParts(store, from, manifest));
  PODSIM_ASSIGN_OR_RETURN(const std::string sha256,
                          WriteManifest(store, from, manifest));
  if (present == Present::kDamaged)
    PODSIM_RETURN_IF_ERROR(MakeRoom(held, step, stamp));
  if (!store.CanRename(from))
    return PublishObjects(
        held, {.step = step, .stamp = stamp, .manifest_sha256 = sha256});
  PODSIM_RETURN_IF_ERROR(held.Note([&](JobRecord& record) {
    record.Put({.step = step, .manifest_sha256 = sha256});
  }));
  return store.Rename(from, path);
}

absl::Status SetOneAside(HeldDir& held, const OwnStep& own,
                         std::int64_t stamp) {
  ObjectStore& store = held.store();
  const std::string path = StepPath(held.path(), own.step);
  const std::string to = SetAsidePath(held.path(), own.step, stamp);
  PODSIM_ASSIGN_OR_RETURN(const bool ours, MayMove(held, own.step, path));
  if (!ours) return InTheWay(path, kNotTheRecords);
  if (store.CanRename(held.path())) {
    PODSIM_RETURN_IF_ERROR(
        held.Note([&](JobRecord& record) { record.Retire(own.step); }));
    PODSIM_RETURN_IF_ERROR(store.Rename(path, to));
  } else {
    PODSIM_RETURN_IF_ERROR(SetObjectsAside(held, own, to));
  }
  return held.Note([&](JobRecord& record) { record.Drop(own.step); });
}

}  // namespace

absl::Status CommitCheckpoint(HeldDir& held, std::int64_t stamp,
                              const CheckpointManifest& manifest) {
  PODSIM_RETURN_IF_ERROR(
      Annotate(CheckManifest(manifest), "checkpoint manifest"));
  return held.Explain(Commit(held, stamp, manifest));
}

absl::Status SetAsideNewer(HeldDir& held, std::int64_t step,
                           std::int64_t stamp) {
  const auto& own_steps = held.record().steps();
  if (own_steps.upper_bound(step) == own_steps.end()) return absl::OkStatus();
  PODSIM_ASSIGN_OR_RETURN(const std::vector<std::int64_t> steps,
                          ListSteps(held.store(), held.path()));
  for (const std::int64_t newer : steps) {
    const OwnStep* const own = held.record().Find(newer);
    if (newer > step && own != nullptr)
      PODSIM_RETURN_IF_ERROR(SetOneAside(held, OwnStep(*own), stamp));
  }
  return absl::OkStatus();
}

}  // namespace podsim
