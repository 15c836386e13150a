#include "host/checkpoint/runs_below.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "host/checkpoint/layout.h"

namespace podsim {
namespace {

constexpr std::size_t kMostListed = 32;  // folders in one
constexpr int kMostLooked = 64;          // at the second level
constexpr std::size_t kMostRunsNamed = 3;

std::string Below(const std::string& directory, const std::string& name) {
  const std::string last(absl::StripSuffix(name, "/"));
  if (directory == ".") return last;
  return absl::StrCat(absl::StripSuffix(directory, "/"), "/", last);
}

// The folders in it, by name.
std::vector<std::string> FoldersIn(ObjectStore& store,
                                   const std::string& directory) {
  std::vector<std::string> folders;
  const auto names = store.List(directory);
  if (!names.ok()) return folders;
  for (const std::string& name : *names)
    if (name.ends_with('/') && folders.size() < kMostListed)
      folders.push_back(Below(directory, name));
  return folders;
}

// The newest step whose folder has a manifest, or the marker of a store of
// objects. A step's own folder is no run.
std::optional<std::int64_t> NewestIn(ObjectStore& store,
                                     const std::string& folder) {
  const auto has = [&store](const std::string& path, const char* name) {
    return store.Stat(absl::StrCat(path, "/", name)).ok();
  };
  const auto names = store.List(folder);
  if (!names.ok() || has(folder, kMarkerName)) return std::nullopt;
  std::vector<std::int64_t> steps;
  for (const std::string& name : *names)
    if (const auto step = ParseStep(name); step && name.ends_with('/'))
      steps.push_back(*step);
  std::ranges::sort(steps, std::greater<>());
  for (const std::int64_t step : steps) {
    const std::string path = StepPath(folder, step);
    if (has(path, kManifestName) || has(path, kMarkerName)) return step;
  }
  return std::nullopt;
}

}  // namespace

std::vector<RunBelow> RunsBelow(ObjectStore& store,
                                const std::string& directory) {
  std::vector<RunBelow> runs;
  const std::vector<std::string> folders = FoldersIn(store, directory);
  for (const std::string& folder : folders)
    if (const auto step = NewestIn(store, folder))
      runs.push_back({folder, *step});
  if (!runs.empty()) return runs;
  int looked = 0;
  for (const std::string& folder : folders)
    for (const std::string& inner : FoldersIn(store, folder)) {
      if (++looked > kMostLooked) return runs;
      if (const auto step = NewestIn(store, inner))
        runs.push_back({inner, *step});
    }
  return runs;
}

std::string ButRunsDo(const std::vector<RunBelow>& runs) {
  if (runs.empty()) return "";
  std::vector<std::string> named;
  for (const RunBelow& run : runs)
    if (named.size() < kMostRunsNamed)
      named.push_back(absl::StrCat(run.path, " (step ", run.step, ")"));
  const std::size_t more = runs.size() - named.size();
  std::string list = absl::StrJoin(named, ", ");
  if (more > 0) {
    absl::StrAppend(&list, " and ", more, " more");
  } else if (named.size() > 1) {
    const std::string last = named.back();
    named.pop_back();
    list = absl::StrCat(absl::StrJoin(named, ", "), " and ", last);
  }
  return absl::StrCat(
      " holds no checkpoint itself, but ",
      runs.size() == 1
          ? absl::StrCat(runs[0].path, " does (step ", runs[0].step, ")")
          : absl::StrCat(list, " do"));
}

}  // namespace podsim
