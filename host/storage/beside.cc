#include "host/storage/beside.h"

#include <algorithm>
#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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
  return absl::StrCat("holds ", absl::StrJoin(names, ", "),
                      more == 0 ? "" : absl::StrCat(" and ", more, " more"));
}

std::vector<std::string> WithoutSlashes(std::vector<std::string> names) {
  for (std::string& name : names)
    if (name.back() == '/') name.pop_back();
  return names;
}

// As it is listed: "." of a name alone; empty of what lies in the root.
std::string FolderOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? "." : path.substr(0, slash);
}

// Of a path and the names in its folder.
std::string InFolderText(const std::string& path,
                         const std::vector<std::string>& names) {
  const std::size_t begin = path.rfind('/') + 1;  // 0: a name alone
  const std::string name = path.substr(begin);
  const std::vector<std::string> plain = WithoutSlashes(names);
  if (std::find(plain.begin(), plain.end(), name) != plain.end())
    return ": it is a file";
  std::vector<std::string> near = NearestNames(name, plain);
  for (std::string& each : near) each = path.substr(0, begin) + each;
  if (!near.empty())
    return absl::StrCat("; did you mean ", absl::StrJoin(near, " or "), "?");
  return absl::StrCat("; ", begin == 0 ? "the current folder" : FolderOf(path),
                      " ", HeldText(names));
}

}  // namespace

std::string BesideText(ObjectStore& store, const std::string& path) {
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
  if (listed.ok()) text += InFolderText(missing, NotHidden(*listed));
  return text;
}

std::string HoldsText(const std::vector<std::string>& names) {
  return absl::StrCat("; it ", HeldText(NotHidden(names)));
}

std::string HoldsText(ObjectStore& store, const std::string& folder) {
  const absl::StatusOr<std::vector<std::string>> names = store.List(folder);
  if (absl::IsNotFound(names.status())) return BesideText(store, folder);
  return names.ok() ? HoldsText(*names) : "";
}

}  // namespace podsim
