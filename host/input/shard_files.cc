#include "host/input/shard_files.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <thread>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace podsim {
namespace {

constexpr char kTrain[] = "train";
constexpr std::array kHeldOutWords = {"eval", "validation", "valid", "val",
                                      "test"};
constexpr std::int64_t kThreads = 8;

bool IsFolder(const std::string& name) {
  return !name.empty() && name.back() == '/';
}

std::vector<std::string> FilesLike(const std::vector<std::string>& names,
                                   std::string_view pattern) {
  std::vector<std::string> found;
  for (const std::string& name : names)
    if (!IsFolder(name) && !name.empty() && name[0] != '.' && name[0] != '_' &&
        MatchesPattern(pattern, name))
      found.push_back(name);
  return found;
}

bool Has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

absl::Status AddFiles(const std::string& folder,
                      const std::vector<std::string>& names, ObjectStore& store,
                      std::vector<ShardFile>& files) {
  const std::size_t before = files.size();
  for (const std::string& name : names)
    files.push_back({.path = absl::StrCat(folder, "/", name)});
  return OnSomeThreads(
      static_cast<std::int64_t>(names.size()), [&](std::int64_t i) {
        ShardFile& file = files[before + static_cast<std::size_t>(i)];
        PODSIM_ASSIGN_OR_RETURN(const ObjectStat stat, store.Stat(file.path));
        file.bytes = stat.bytes;
        file.version = stat.version;
        return absl::OkStatus();
      });
}

// All files of a folder of a split, which is none of the names in it.
absl::Status AddFolder(const std::string& folder, ObjectStore& store,
                       std::vector<ShardFile>& files) {
  PODSIM_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                          store.List(folder));
  return AddFiles(folder, FilesLike(names, "*"), store, files);
}

}  // namespace

absl::Status OnSomeThreads(
    std::int64_t count, const std::function<absl::Status(std::int64_t)>& fn) {
  std::vector<absl::Status> results(static_cast<std::size_t>(count));
  std::atomic<std::int64_t> next{0};
  const auto work = [&] {
    for (std::int64_t i = next++; i < count; i = next++)
      results[static_cast<std::size_t>(i)] = fn(i);
  };
  std::vector<std::jthread> threads;
  for (std::int64_t i = 1; i < std::min(count, kThreads); ++i)
    threads.emplace_back(work);
  work();
  threads.clear();
  for (absl::Status& result : results)
    PODSIM_RETURN_IF_ERROR(std::move(result));
  return absl::OkStatus();
}

bool MatchesPattern(std::string_view pattern, std::string_view name) {
  // The last * that was passed, and what it has taken so far: taking more is
  // the only way back that can help.
  std::size_t at = 0;
  std::size_t star = std::string_view::npos;
  std::size_t taken = 0;
  for (std::size_t i = 0; i < name.size();) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      taken = i;
    } else if (at < pattern.size() && pattern[at] == name[i]) {
      ++at;
      ++i;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      i = ++taken;
    } else {
      return false;
    }
  }
  while (at < pattern.size() && pattern[at] == '*') ++at;
  return at == pattern.size();
}

SplitNames SplitOf(const std::vector<std::string>& names,
                   std::string_view pattern, bool* folders) {
  *folders = false;
  SplitNames split;
  std::string like(pattern);
  if (pattern.empty()) {
    like = "train*";
    if (FilesLike(names, like).empty()) {
      *folders = Has(names, "train/");
      like = *folders ? "train/" : "*";
    }
  }
  const auto find = [&](const std::string& of) {
    if (!*folders) return FilesLike(names, of);
    return Has(names, of) ? std::vector<std::string>{of}
                          : std::vector<std::string>();
  };
  split.train = find(like);
  const std::size_t word = like.find(kTrain);
  for (std::size_t i = 0; word != std::string::npos &&
                          i < kHeldOutWords.size() && split.eval.empty();
       ++i)
    split.eval = find(like.substr(0, word) + kHeldOutWords[i] +
                      like.substr(word + sizeof(kTrain) - 1));
  return split;
}

absl::StatusOr<SplitFiles> FindShards(const std::string& data_dir,
                                      ObjectStore& store,
                                      const SplitPatterns& patterns) {
  std::string folder = data_dir;
  std::string pattern;
  if (const std::size_t slash = folder.rfind('/');
      slash != std::string::npos && folder.find('*', slash) != folder.npos) {
    pattern = folder.substr(slash + 1);
    folder.resize(slash);
  }
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  if (folder.empty() || absl::StrContains(folder, "*"))
    return absl::InvalidArgumentError(absl::StrCat(
        "data_dir is '", data_dir,
        "'; it must be a folder, or DIR/PATTERN with * in the last part alone, "
        "such as --data_dir=data/train-*"));
  PODSIM_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                          store.List(folder));
  bool folders = false;
  SplitNames split = SplitOf(names, pattern, &folders);
  if (pattern.empty() && !patterns.train.empty()) {
    folders = false;
    pattern = patterns.train;
    split = {.train = FilesLike(names, pattern),
             .eval = FilesLike(names, patterns.eval)};
  }
  SplitFiles files;
  for (const auto& [of, to] : {std::pair(&split.train, &files.train),
                               std::pair(&split.eval, &files.eval)}) {
    if (!folders) {
      PODSIM_RETURN_IF_ERROR(AddFiles(folder, *of, store, *to));
    } else if (!of->empty()) {
      PODSIM_RETURN_IF_ERROR(
          AddFolder(absl::StrCat(folder, "/",
                                 of->front().substr(0, of->front().size() - 1)),
                    store, *to));
    }
  }
  if (!files.train.empty()) return files;
  return absl::NotFoundError(absl::StrCat(
      data_dir, ": no file for training: none is called ",
      pattern.empty() ? "train*, nor lies in a folder train" : pattern));
}

}  // namespace podsim
