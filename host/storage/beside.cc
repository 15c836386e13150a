#include "host/storage/beside.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <system_error>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/printable.h"
#include "settings/nearest_names.h"

namespace podsim {
namespace {

constexpr std::size_t kMostBeside = 3;  // names in a message

std::vector<std::string> NotHidden(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (const std::string& name : names)
    if (!name.empty() && name[0] != '.') shown.push_back(name);
  return shown;
}

// "holds a.csv, b/ and 3 more".
std::string HeldText(std::vector<std::string> names) {
  if (names.empty()) return "is empty";
  const std::size_t more = names.size() - std::min(names.size(), kMostBeside);
  names.resize(names.size() - more);
  for (std::string& name : names) name = PrintableLine(name);
  return absl::StrCat("holds ", absl::StrJoin(names, ", "),
                      more == 0 ? "" : absl::StrCat(" and ", more, " more"));
}

// Of those that are wanted, without the slash of a folder.
std::vector<std::string> PlainNames(const std::vector<std::string>& names,
                                    Wanted wanted) {
  std::vector<std::string> plain;
  for (const std::string& name : names) {
    const bool folder = name.back() == '/';
    if (wanted == (folder ? Wanted::kFile : Wanted::kFolder)) continue;
    plain.push_back(folder ? name.substr(0, name.size() - 1) : name);
  }
  return plain;
}

// As it is listed: "." of a name alone; empty of what lies in the root.
std::string FolderOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? "." : path.substr(0, slash);
}

// Of a path of this machine that its folder has, and that is not found.
std::string ListedText(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path target =
      std::filesystem::read_symlink(path, ignored);
  if (std::filesystem::is_regular_file(path, ignored)) return ": it is a file";
  if (std::filesystem::exists(path, ignored))
    return ": it is a device or a pipe, not a regular file";
  return target.empty() ? ""
                        : absl::StrCat(": it is a link to ", target.string(),
                                       ", which is not there");
}

// Of a path and the names in its folder.
std::string InFolderText(const std::string& path,
                         const std::vector<std::string>& names, Wanted wanted) {
  const std::size_t begin = path.rfind('/') + 1;  // 0: a name alone
  const std::string name = path.substr(begin);
  if (std::find(names.begin(), names.end(), name) != names.end())
    return ListedText(path);
  std::vector<std::string> near = NearestNames(name, PlainNames(names, wanted));
  for (std::string& each : near) each.insert(0, path, 0, begin);
  if (!near.empty())
    return absl::StrCat("; did you mean ", absl::StrJoin(near, " or "), "?");
  return absl::StrCat("; ", begin == 0 ? "the current folder" : FolderOf(path),
                      " ", HeldText(names));
}

}  // namespace

std::string BesideText(ObjectStore& store, const std::string& path,
                       Wanted wanted) {
  const std::string given = path.substr(0, path.find_last_not_of('/') + 1);
  if (given.empty()) return "";
  std::string missing = given;  // the first part of it that is not there
  absl::StatusOr<std::vector<std::string>> listed =
      absl::NotFoundError("not listed yet");
  while (absl::IsNotFound(listed.status())) {
    if (FolderOf(missing).empty() || !store.CanMap(missing)) return "";
    listed = store.List(FolderOf(missing));
    if (absl::IsNotFound(listed.status())) missing = FolderOf(missing);
  }
  std::string text;
  if (missing != given)
    text = absl::StrCat("; there is no folder ", missing, " either");
  if (missing != path) wanted = Wanted::kFolder;  // it lies in it, or says so
  if (listed.ok()) text += InFolderText(missing, NotHidden(*listed), wanted);
  return text;
}

std::string HoldsText(const std::vector<std::string>& names) {
  return absl::StrCat("; it ", HeldText(NotHidden(names)));
}

std::string HoldsText(ObjectStore& store, const std::string& folder) {
  const absl::StatusOr<std::vector<std::string>> names = store.List(folder);
  if (absl::IsNotFound(names.status()))
    return BesideText(store, folder, Wanted::kFolder);
  return names.ok() ? HoldsText(*names) : "";
}

}  // namespace podsim
