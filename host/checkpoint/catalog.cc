#include "host/checkpoint/catalog.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/status.h"
#include "base/units.h"
#include "host/checkpoint/folders.h"
#include "host/checkpoint/layout.h"
#include "host/checkpoint/manifest.h"
#include "host/checkpoint/part_file.h"
#include "host/checkpoint/renamed.h"
#include "host/checkpoint/sums.h"
#include "host/storage/bounded_read.h"

namespace podsim {
namespace {

// A file that must be there once the directory is.
absl::StatusOr<std::string> ReadNeeded(ObjectStore& store,
                                       const std::string& path,
                                       const char* name) {
  absl::StatusOr<std::string> text =
      ReadAtMost(store, path + "/" + name, kMaxManifestBytes);
  if (absl::IsNotFound(text.status())) {
    PODSIM_RETURN_IF_ERROR(CheckIsMissing(store, path, name));
    return absl::DataLossError(absl::StrCat(name, " is missing"));
  }
  if (absl::IsOutOfRange(text.status()))
    return absl::DataLossError(
        absl::StrCat(name, " is larger than any can be (",
                     FormatBytes(kMaxManifestBytes), ")"));
  return text;
}

// SHA256SUMS lists exactly the manifest and its files, with their hashes.
absl::Status CheckSums(const CheckpointManifest& manifest, const Sums& sums) {
  for (const CheckpointFile& file : manifest.files()) {
    const auto listed = sums.find(file.name());
    if (listed == sums.end() || listed->second != file.sha256())
      return absl::DataLossError(absl::StrCat(kSumsName, " and ", kManifestName,
                                              " differ on ", file.name()));
  }
  if (sums.size() == static_cast<std::size_t>(manifest.files_size()) + 1)
    return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(kSumsName, " lists files that ",
                                          kManifestName, " does not"));
}

// Every file is there, whole by its length, and nothing else.
absl::Status CheckDirectory(ObjectStore& store, const std::string& path,
                            const CheckpointManifest& manifest,
                            const std::vector<std::string>& names) {
  std::set<std::string> strangers(names.begin(), names.end());
  for (const char* name : {kManifestName, kSumsName, kMarkerName})
    strangers.erase(name);
  for (const CheckpointFile& file : manifest.files()) {
    strangers.erase(file.name());
    const auto bytes = store.Size(path + "/" + file.name());
    if (absl::IsNotFound(bytes.status())) {
      PODSIM_RETURN_IF_ERROR(CheckIsMissing(store, path, file.name()));
      return absl::DataLossError(absl::StrCat(file.name(), " is missing"));
    }
    PODSIM_RETURN_IF_ERROR(bytes.status());
    if (*bytes < file.bytes())
      return absl::DataLossError(absl::StrCat(file.name(),
                                              " is cut short: it has ", *bytes,
                                              " of ", file.bytes(), " bytes"));
    if (*bytes != file.bytes())
      return absl::DataLossError(absl::StrCat(file.name(), " has ", *bytes,
                                              " bytes, ", file.bytes(),
                                              " were written"));
  }
  if (strangers.empty()) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat(*strangers.begin(), " does not belong to it"));
}

// Or is at least meant to be one: the name of a step, or a file of one.
bool LooksLikeOne(const std::string& path,
                  const std::vector<std::string>& names) {
  const auto has = [&](const char* name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  return ParseStep(NameOf(path)) || ParseUnfinished(NameOf(path)) ||
         has(kSumsName) || has(kManifestName) || has(kMarkerName);
}

absl::StatusOr<Sums> ReadSums(ObjectStore& store, const std::string& path) {
  PODSIM_ASSIGN_OR_RETURN(const std::string text,
                          ReadNeeded(store, path, kSumsName));
  absl::StatusOr<Sums> sums = ParseSums(text);
  if (!sums.ok()) return Annotate(sums.status(), kSumsName);
  return sums;
}

// manifest.json, believed only with the hash that SHA256SUMS has of it.
absl::StatusOr<CheckpointAt> ReadListed(ObjectStore& store,
                                        const std::string& path,
                                        const Sums& sums) {
  PODSIM_ASSIGN_OR_RETURN(const std::string json,
                          ReadNeeded(store, path, kManifestName));
  CheckpointAt found{.files = path, .manifest_sha256 = Sha256Hex(json)};
  const auto listed = sums.find(kManifestName);
  if (listed == sums.end() || listed->second != found.manifest_sha256)
    return absl::DataLossError(
        absl::StrCat(kManifestName, " differs from its SHA-256"));
  absl::StatusOr<CheckpointManifest> manifest = ParseManifest(json);
  if (!manifest.ok()) return Annotate(manifest.status(), kManifestName);
  found.manifest = *std::move(manifest);
  found.step = found.manifest.step();
  return found;
}

// What is called like a part of `directory`; nothing, if `witness`, of which it
// is known that it is there, is not listed yet.
absl::StatusOr<std::vector<std::string>> NamesIn(ObjectStore& store,
                                                 const std::string& directory,
                                                 const char* witness) {
  absl::StatusOr<std::vector<std::string>> names = store.List(directory);
  if (absl::IsNotFound(names.status()) && !store.CanRename(directory) &&
      store.Size(absl::StrCat(directory, "/", witness)).ok())
    names = std::vector<std::string>();
  return names;
}

absl::StatusOr<CheckpointAt> ReadLocated(ObjectStore& store,
                                         const std::string& path,
                                         const std::string& files) {
  auto names = NamesIn(store, files, kSumsName);
  if (absl::IsNotFound(names.status()))
    return absl::DataLossError("the files that its marker names are missing");
  PODSIM_RETURN_IF_ERROR(names.status());
  PODSIM_ASSIGN_OR_RETURN(const Sums sums, ReadSums(store, files));
  PODSIM_ASSIGN_OR_RETURN(CheckpointAt found, ReadListed(store, files, sums));
  found.path = path;
  PODSIM_RETURN_IF_ERROR(CheckSums(found.manifest, sums));
  PODSIM_RETURN_IF_ERROR(CheckDirectory(store, files, found.manifest, *names));
  return found;
}

absl::StatusOr<CheckpointAt> Open(ObjectStore& store, const std::string& path) {
  const auto names = NamesIn(store, path, kMarkerName);
  if (absl::IsNotFound(names.status()) ||
      (names.ok() && !LooksLikeOne(path, *names)))
    return absl::NotFoundError("no checkpoint is there");
  PODSIM_RETURN_IF_ERROR(names.status());
  if (ParseUnfinished(NameOf(path)))
    return absl::FailedPreconditionError(
        "unfinished: its writer was stopped before it committed");
  PODSIM_ASSIGN_OR_RETURN(const Located at, Locate(store, path));
  absl::StatusOr<CheckpointAt> found = ReadLocated(store, path, at.files);
  // Of a copy that is on its way nothing is damaged.
  if (!at.marked && absl::IsDataLoss(found.status()))
    return absl::FailedPreconditionError(
        absl::StrCat("unfinished: it has no ", kMarkerName, ", and ",
                     found.status().message()));
  return found;
}

}  // namespace

bool SpeaksOfTheCheckpoint(const ObjectStore& store, const std::string& path,
                           const absl::Status& status) {
  if (absl::IsDataLoss(status) || absl::IsNotFound(status) ||
      RenamedFrom(status))
    return true;
  return store.CanRename(path) &&
         (absl::IsUnavailable(status) || absl::IsPermissionDenied(status));
}

absl::StatusOr<std::vector<std::int64_t>> ListSteps(
    ObjectStore& store, const std::string& model_dir) {
  PODSIM_ASSIGN_OR_RETURN(Folders folders, LookAt(store, model_dir));
  return std::move(folders.steps);
}

OwnStep OwnStepOf(const CheckpointAt& at) {
  const auto stamp =
      at.files == at.path ? std::nullopt : ParseStep(NameOf(at.files));
  return {.step = at.step,
          .stamp = stamp.value_or(0),
          .manifest_sha256 = at.manifest_sha256};
}

absl::StatusOr<bool> IsStillThere(ObjectStore& store,
                                  const std::string& model_dir,
                                  std::int64_t step) {
  PODSIM_ASSIGN_OR_RETURN(const auto steps, ListSteps(store, model_dir));
  return std::binary_search(steps.begin(), steps.end(), step);
}

absl::StatusOr<CheckpointAt> ReadManifest(ObjectStore& store,
                                          const std::string& path) {
  absl::StatusOr<CheckpointAt> found = Open(store, path);
  if (!found.ok()) return Annotate(found.status(), path);
  PODSIM_RETURN_IF_ERROR(
      Annotate(CheckName(store, path, found->files, found->step), path));
  return found;
}

namespace {

// What is damaged inside is told before a wrong name.
absl::StatusOr<CheckpointAt> LookThrough(ObjectStore& store,
                                         const std::string& path) {
  absl::StatusOr<CheckpointAt> found = Open(store, path);
  if (!found.ok()) return Annotate(found.status(), path);
  for (const CheckpointFile& file : found->manifest.files())
    PODSIM_RETURN_IF_ERROR(ReadPart(store, found->files, found->manifest, file,
                                    /*visit=*/nullptr));
  PODSIM_RETURN_IF_ERROR(
      Annotate(CheckName(store, path, found->files, found->step), path));
  return found;
}

}  // namespace

// Nothing protects a part of an object on its way but the connection: what it
// damaged is whole at the second look.
absl::StatusOr<CheckpointAt> VerifyCheckpoint(ObjectStore& store,
                                              const std::string& path) {
  absl::StatusOr<CheckpointAt> found = LookThrough(store, path);
  if (absl::IsDataLoss(found.status()) && !store.CanRename(path))
    found = LookThrough(store, path);
  return found;
}

}  // namespace podsim
