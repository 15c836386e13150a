#include "host/storage/no_file.h"

#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "host/storage/beside.h"

namespace podsim {

std::string BlankText(std::string_view path) {
  if (path.empty() || path == " ") return "";
  const bool front = path.front() == ' ';
  if (!front && path.back() != ' ') return "";
  return absl::StrCat(", \"", std::string(path), "\" with a blank ",
                      front ? "in front" : "at its end", ": leave it out");
}

absl::Status NoFile(ObjectStore& store, const std::string& path,
                    std::string_view what) {
  const std::string kind(what);
  if (store.List(path).ok())
    return absl::NotFoundError(
        absl::StrCat(kind, " ", path, " is a folder; give a file"));
  std::error_code ignored;
  if (store.CanMap(path) && std::filesystem::exists(path, ignored))
    return absl::NotFoundError(absl::StrCat(
        kind, " ", path, " is a device or a pipe; give a regular file"));
  return absl::NotFoundError(
      absl::StrCat("there is no ", kind, " ", path, BlankText(path),
                   "; give the path of one that exists",
                   BesideText(store, path, Wanted::kFile)));
}

absl::Status NoFolder(ObjectStore& store, const std::string& path,
                      std::string_view such_as) {
  const std::string wanted(such_as);
  if (store.Stat(path).ok())
    return absl::NotFoundError(absl::StrCat(path, " is a file; give ", wanted));
  return absl::NotFoundError(
      absl::StrCat("there is no folder ", path, BlankText(path), "; give ",
                   wanted, BesideText(store, path, Wanted::kFolder)));
}

}  // namespace podsim
