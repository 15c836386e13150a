#include "host/checkpoint/locate.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/status.h"
#include "host/checkpoint/layout.h"
#include "host/checkpoint/manifest.h"
#include "host/storage/bounded_read.h"

namespace podsim {
namespace {

// Others' markers may say anything.
constexpr std::int64_t kMaxMarkerBytes = 4096;

// Gone since, or the store does not know what it has.
absl::Status ListsWhatIsMissing(const std::string& path) {
  return absl::UnavailableError(absl::StrCat(
      path, ": the store lists it and does not find it; try again"));
}

bool Has(const std::vector<std::string>& names, const char* name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Of a directory without a marker, as a copy may be: the manifest's; nothing:
// there is none.
absl::StatusOr<std::optional<std::string>> DirectoryOfManifest(
    ObjectStore& store, const std::string& path) {
  PODSIM_ASSIGN_OR_RETURN(const auto names, store.List(path));
  if (Has(names, kManifestName)) return std::optional(path);
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    if (name->back() != '/' || !ParseStep(*name)) continue;
    const std::string below = absl::StrCat(path, "/", NameOf(*name));
    const auto files = store.List(below);
    if (files.ok() && Has(*files, kManifestName)) return std::optional(below);
    if (!files.ok() && !absl::IsNotFound(files.status())) return files.status();
  }
  return std::optional<std::string>();
}

}  // namespace

absl::Status CheckIsMissing(ObjectStore& store, const std::string& path,
                            const std::string& name) {
  if (store.CanRename(path)) return absl::OkStatus();
  const auto names = store.List(path);
  if (absl::IsNotFound(names.status())) return absl::OkStatus();
  PODSIM_RETURN_IF_ERROR(names.status());
  if (std::find(names->begin(), names->end(), name) == names->end())
    return absl::OkStatus();
  return ListsWhatIsMissing(absl::StrCat(path, "/", name));
}

absl::StatusOr<Located> Locate(ObjectStore& store, const std::string& path) {
  const bool renames = store.CanRename(path);
  if (renames && store.Stat(absl::StrCat(path, "/", kManifestName)).ok())
    return Located{.files = path};
  const auto text =
      ReadAtMost(store, absl::StrCat(path, "/", kMarkerName), kMaxMarkerBytes);
  if (absl::IsOutOfRange(text.status())) return Located{.files = path};
  if (text.ok()) {
    const auto stamp = ParseMarker(*text);
    return Located{.files = stamp ? absl::StrCat(path, "/", *stamp) : path};
  }
  // A disk's other errors are told of the files themselves.
  if (!absl::IsNotFound(text.status()) && !renames) return text.status();
  PODSIM_RETURN_IF_ERROR(CheckIsMissing(store, path, kMarkerName));
  const auto found = DirectoryOfManifest(store, path);
  if (found.ok() && *found)
    return Located{.files = **found, .marked = renames && **found == path};
  if (renames) return Located{.files = path};
  PODSIM_RETURN_IF_ERROR(found.status());
  return absl::FailedPreconditionError(
      absl::StrCat("unfinished: it has no ", kMarkerName));
}

absl::StatusOr<bool> IsCommitted(ObjectStore& store, const std::string& path) {
  if (store.CanRename(path)) return true;
  const auto marker = store.Size(absl::StrCat(path, "/", kMarkerName));
  if (marker.ok()) return true;
  if (!absl::IsNotFound(marker.status())) return marker.status();
  PODSIM_RETURN_IF_ERROR(CheckIsMissing(store, path, kMarkerName));
  return false;
}

absl::StatusOr<std::string> FilesOf(ObjectStore& store,
                                    const std::string& path) {
  PODSIM_ASSIGN_OR_RETURN(const Located at, Locate(store, path));
  return at.files;
}

absl::StatusOr<std::string> HashOfManifest(ObjectStore& store,
                                           const std::string& files) {
  const auto json = ReadAtMost(store, absl::StrCat(files, "/", kManifestName),
                               kMaxManifestBytes);
  if (absl::IsNotFound(json.status())) {
    PODSIM_RETURN_IF_ERROR(CheckIsMissing(store, files, kManifestName));
    return std::string();
  }
  if (absl::IsOutOfRange(json.status())) return std::string();
  PODSIM_RETURN_IF_ERROR(json.status());
  return Sha256Hex(*json);
}

}  // namespace podsim
