#include "settings/many_paths.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/printable.h"

namespace podsim {
namespace {

constexpr std::size_t kFewPaths = 2;  // so many are named

// "shards/" of "shards/a".
absl::string_view FolderOf(absl::string_view path) {
  return path.substr(0, path.rfind('/') + 1);  // npos + 1 is 0
}

// "shards" of "shards/a", "." of "a".
std::string FolderNamed(absl::string_view path) {
  const absl::string_view folder = FolderOf(path);
  if (folder.size() < 2) return folder.empty() ? "." : "/";
  return std::string(folder.substr(0, folder.size() - 1));
}

// What both begin with.
absl::string_view CommonBegin(absl::string_view a, absl::string_view b) {
  const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  return a.substr(0, static_cast<std::size_t>(end - a.begin()));
}

absl::string_view WithoutDigits(absl::string_view text) {
  while (!text.empty() &&
         absl::ascii_isdigit(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  return text;
}

// ".csv" of "shards/a.csv".
absl::string_view EndingOf(absl::string_view path) {
  const absl::string_view name = path.substr(FolderOf(path).size());
  const std::size_t dot = name.rfind('.');
  return dot == absl::string_view::npos || dot == 0 ? "" : name.substr(dot);
}

}  // namespace

std::string PatternOf(const std::vector<std::string>& paths) {
  if (paths.size() <= kFewPaths || !std::ranges::is_sorted(paths)) return "";
  const absl::string_view first = paths.front();
  absl::string_view begin = first;
  absl::string_view ending = EndingOf(first);
  for (const std::string& path : paths) {
    if (FolderOf(path) != FolderOf(first)) return "";
    if (EndingOf(path) != ending) ending = "";
    begin = CommonBegin(begin, path);
  }
  begin = WithoutDigits(begin);
  if (begin.size() + ending.size() > first.size()) return "";
  if (begin.size() <= FolderOf(first).size() && ending.empty()) return "";
  return absl::StrCat(begin, "*", ending);
}

std::string ManyPaths(const std::string& program, const std::string& command,
                      const std::vector<std::string>& paths,
                      bool takes_patterns) {
  const std::string pattern = PatternOf(paths);
  const bool few = paths.size() <= kFewPaths;
  const std::string given =
      PrintableLine(few ? absl::StrCat(paths.front(), " and ", paths.back())
                        : absl::StrCat(paths.front(), " and on"));
  const std::string what = absl::StrCat(command, " takes one path and ",
                                        paths.size(), " are given, ", given);
  if (!takes_patterns)
    return absl::StrCat(what,
                        pattern.empty() ? "" : ": the shell opened a pattern",
                        "; give one at a time: ", program, " ", command, " ",
                        PrintableLine(paths.front()));
  if (pattern.empty())
    return absl::StrCat(what,
                        "; a pattern of many files stands in quotes, or give "
                        "their folder");
  return PrintableLine(absl::StrCat(
      what, ": the shell opened a pattern; put it in quotes, '", pattern,
      "', or give the folder, ", FolderNamed(paths.front())));
}

}  // namespace podsim
