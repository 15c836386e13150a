#include "host/checkpoint/ownership.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/status.h"
#include "host/checkpoint/catalog.h"
#include "host/checkpoint/layout.h"
#include "host/checkpoint/locate.h"
#include "host/checkpoint/manifest.h"
#include "host/checkpoint/sums.h"
#include "host/storage/bounded_read.h"

namespace podsim {
namespace {

// The SHA-256 that SHA256SUMS has of the manifest; empty: it says nothing.
absl::StatusOr<std::string> SumOfManifest(ObjectStore& store,
                                          const std::string& files) {
  const auto text =
      ReadAtMost(store, absl::StrCat(files, "/", kSumsName), kMaxManifestBytes);
  if (absl::IsNotFound(text.status())) {
    PODSIM_RETURN_IF_ERROR(CheckIsMissing(store, files, kSumsName));
    return std::string();
  }
  if (absl::IsOutOfRange(text.status())) return std::string();
  PODSIM_RETURN_IF_ERROR(text.status());
  const auto sums = ParseSums(*text);
  if (!sums.ok()) return std::string();
  const auto listed = sums->find(kManifestName);
  return listed == sums->end() ? std::string() : listed->second;
}

// Whether the files lie where the record has them. A disk has no stamps.
bool LiesElsewhere(const ObjectStore& store, const std::string& path,
                   const std::string& files, const OwnStep& own) {
  if (store.CanRename(path)) return false;
  return files != (own.stamp == 0 ? path : absl::StrCat(path, "/", own.stamp));
}

}  // namespace

absl::StatusOr<Whose> WhoseAre(ObjectStore& store, const std::string& files,
                               const OwnStep& own) {
  const auto manifest = HashOfManifest(store, files);
  if (manifest.ok() && *manifest == own.manifest_sha256) return Whose::kOwn;
  const auto sum = SumOfManifest(store, files);
  if (sum.ok() && *sum == own.manifest_sha256) return Whose::kOwn;
  if (!store.CanRename(files)) {
    PODSIM_RETURN_IF_ERROR(manifest.status());
    PODSIM_RETURN_IF_ERROR(sum.status());
  }
  return manifest.ok() || sum.ok() ? Whose::kAnothers : Whose::kUnknown;
}

absl::StatusOr<Whose> WhoseIs(ObjectStore& store, const std::string& path,
                              const OwnStep& own) {
  if (own.manifest_sha256.empty())
    return ReadManifest(store, path).ok() ? Whose::kAnothers : Whose::kUnknown;
  PODSIM_ASSIGN_OR_RETURN(const std::string files, FilesOf(store, path));
  if (LiesElsewhere(store, path, files, own)) return Whose::kAnothers;
  return WhoseAre(store, files, own);
}

absl::StatusOr<std::vector<std::int64_t>> FindStrangers(
    ObjectStore& store, const std::string& model_dir, const Folders& folders,
    std::int64_t begin) {
  std::vector<std::int64_t> strangers;
  for (const std::int64_t step : folders.steps) {
    const OwnStep* const own = folders.kept.record.Find(step);
    if (own == nullptr) {
      strangers.push_back(step);
      continue;
    }
    if (step <= begin && !store.CanRename(model_dir)) continue;
    PODSIM_ASSIGN_OR_RETURN(const Whose whose,
                            WhoseIs(store, StepPath(model_dir, step), *own));
    if (whose != Whose::kAnothers) continue;
    // A running job deletes old ones while they are read.
    PODSIM_ASSIGN_OR_RETURN(const bool there,
                            IsStillThere(store, model_dir, step));
    if (there) strangers.push_back(step);
  }
  return strangers;
}

}  // namespace podsim
