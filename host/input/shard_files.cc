#include "host/input/shard_files.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <iterator>
#include <map>
#include <thread>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "host/input/eval_words.h"
#include "host/input/split_words.h"
#include "host/input/whole_series.h"
#include "host/storage/beside.h"

namespace podsim {
namespace {

constexpr char kTrain[] = "train";
// What TFDS and others lay beside shards.
constexpr const char* kNoShards[] = {".json", ".md", ".labels.txt"};
constexpr std::int64_t kThreads = 8;
// So many are asked for one by one.
constexpr std::size_t kFewFiles = 8;

bool IsFolder(const std::string& name) {
  return !name.empty() && name.back() == '/';
}

bool IsHidden(const std::string& name) {
  return name.empty() || name[0] == '.' || name[0] == '_';
}

std::vector<std::string> FilesLike(const std::vector<std::string>& names,
                                   std::string_view pattern) {
  std::vector<std::string> found;
  for (const std::string& name : names)
    if (name == pattern ||
        (!IsFolder(name) && !IsHidden(name) && MatchesPattern(pattern, name)))
      found.push_back(name);
  return found;
}

std::vector<std::string> AllFiles(const std::vector<std::string>& names) {
  std::vector<std::string> found = FilesLike(names, "*");
  std::erase_if(found, [](const std::string& name) {
    return std::any_of(
        std::begin(kNoShards), std::end(kNoShards),
        [&](const char* end) { return absl::EndsWith(name, end); });
  });
  return found;
}

bool Has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

using Stats = std::map<std::string, ObjectStat>;

// What one listing tells of all objects of a folder, where it is cheaper than a
// question for each of `names`; nothing: it is not. `all`: what the folder
// holds.
absl::StatusOr<Stats> StatsByListing(const std::string& folder,
                                     const std::vector<std::string>& all,
                                     const std::vector<std::string>& names,
                                     ObjectStore& store) {
  ConditionalObjects* const objects = store.Conditional(folder);
  // Of folders in it the listing would tell, too, however much lies there.
  if (objects == nullptr || names.size() < kFewFiles ||
      std::any_of(all.begin(), all.end(), IsFolder))
    return Stats();
  PODSIM_ASSIGN_OR_RETURN(const auto listed, objects->ListTree(folder));
  Stats stats;
  for (const ConditionalObjects::Listed& object : listed)
    stats[object.name] = {.bytes = object.bytes,
                          .version = absl::StrCat(object.generation)};
  return stats;
}

// Of a name that its folder has.
absl::Status NotThere(const std::string& path, const std::string& folder,
                      ObjectStore& store) {
  return absl::NotFoundError(absl::StrCat(
      path, " is in the folder ", folder, ", but is no file that can be read",
      BesideText(store, path, Wanted::kFile),
      "; delete it, or name the files that are meant, as in ", folder,
      "/train-*"));
}

// `names` of what the folder holds, `all`.
absl::Status AddFiles(const std::string& folder,
                      const std::vector<std::string>& all,
                      const std::vector<std::string>& names, ObjectStore& store,
                      std::vector<ShardFile>& files) {
  PODSIM_ASSIGN_OR_RETURN(const Stats stats,
                          StatsByListing(folder, all, names, store));
  const std::size_t before = files.size();
  for (const std::string& name : names)
    files.push_back(
        {.path = folder == "." ? name : absl::StrCat(folder, "/", name)});
  return OnSomeThreads(
      static_cast<std::int64_t>(names.size()), [&](std::int64_t i) {
        ShardFile& file = files[before + static_cast<std::size_t>(i)];
        const auto listed = stats.find(names[static_cast<std::size_t>(i)]);
        if (listed != stats.end()) {
          file.bytes = listed->second.bytes;
          file.version = listed->second.version;
          return absl::OkStatus();
        }
        const absl::StatusOr<ObjectStat> stat = store.Stat(file.path);
        if (absl::IsNotFound(stat.status()))
          return NotThere(file.path, folder, store);
        PODSIM_RETURN_IF_ERROR(stat.status());
        file.bytes = stat->bytes;
        file.version = stat->version;
        return absl::OkStatus();
      });
}

// All files of a folder of a split, which is none of the names in it.
absl::Status AddFolder(const std::string& folder, ObjectStore& store,
                       std::vector<ShardFile>& files) {
  PODSIM_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                          store.List(folder));
  return AddFiles(folder, names, FilesLike(names, "*"), store, files);
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
      if (!*folders) return SplitByWord(AllFiles(names));
      like = "train/";
    }
  }
  if (like.find(kTrain) == std::string::npos)
    return SplitByWord(FilesLike(names, like));
  const auto find = [&](const std::string& of) {
    if (!*folders) return FilesLike(names, of);
    return Has(names, of) ? std::vector<std::string>{of}
                          : std::vector<std::string>();
  };
  split.train = find(like);
  const std::size_t word = like.find(kTrain);
  for (const char* const other : kEvalWords) {
    split.eval = find(like.substr(0, word) + other +
                      like.substr(word + sizeof(kTrain) - 1));
    if (!split.eval.empty()) break;
  }
  return split;
}

namespace {

// A folder and the pattern of the files in it that are meant.
struct FolderPattern {
  std::string folder;
  std::string pattern;             // empty: by the rule
  std::vector<std::string> names;  // in the folder
};

FolderPattern CutAtSlash(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return {.folder = ".", .pattern = path, .names = {}};
  return {.folder = slash == 0 ? "/" : path.substr(0, slash),
          .pattern = path.substr(slash + 1),
          .names = {}};
}

// `pattern`: of a folder's files, empty: files of any name.
absl::StatusOr<FolderPattern> ListFolder(const std::string& data_dir,
                                         const std::string& pattern,
                                         ObjectStore& store) {
  FolderPattern at = {.folder = data_dir, .pattern = {}, .names = {}};
  if (const std::size_t slash = data_dir.rfind('/');
      slash != std::string::npos && data_dir.find('*', slash) != data_dir.npos)
    at = CutAtSlash(data_dir);
  while (at.folder.size() > 1 && at.folder.back() == '/') at.folder.pop_back();
  if (at.folder.empty() || absl::StrContains(at.folder, "*"))
    return absl::InvalidArgumentError(
        absl::StrCat("data_dir is '", data_dir,
                     "'; it must be a folder, a file, or DIR/PATTERN with * in "
                     "the last part "
                     "alone, such as --data_dir=data/train-*"));
  auto names = store.List(at.folder);
  if (absl::IsNotFound(names.status()) && at.pattern.empty()) {
    const absl::Status file = store.Stat(at.folder).status();
    // There it is, but it cannot be read.
    if (!file.ok() && !absl::IsNotFound(file)) return file;
    if (file.ok()) {
      // A file is a pattern that matches it alone.
      at = CutAtSlash(at.folder);
      names = store.List(at.folder);
      if (!names.ok()) names = std::vector<std::string>{at.pattern};
    }
  }
  if (absl::IsNotFound(names.status()))
    return absl::NotFoundError(absl::StrCat(
        "data_dir is '", data_dir, "', but there is no ",
        at.pattern.empty() ? "file or folder" : "folder", " ", at.folder,
        "; give a folder, a file, or DIR/PATTERN such as data/",
        pattern.empty() ? "train-*" : pattern,
        BesideText(store, at.folder,
                   at.pattern.empty() && pattern.empty() ? Wanted::kAny
                                                         : Wanted::kFolder)));
  PODSIM_ASSIGN_OR_RETURN(at.names, std::move(names));
  return at;
}

// "; it has the folders 1.0.0, 3.0.1: is one of them meant?", or what else it
// holds.
std::string FoldersText(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNamed = 3;
  std::vector<std::string> folders;
  for (const std::string& name : names)
    if (IsFolder(name)) folders.push_back(name.substr(0, name.size() - 1));
  if (folders.empty()) return HoldsText(names);
  const bool more = folders.size() > kMostNamed;
  if (more) folders.resize(kMostNamed);
  return absl::StrCat("; it has the folders ", absl::StrJoin(folders, ", "),
                      more ? " ..." : "", ": is one of them meant?");
}

// Files of several splits, none of which is training's.
absl::Status NothingToTrainOn(const std::string& data_dir,
                              const std::string& folder,
                              const std::vector<std::string>& files) {
  return absl::NotFoundError(absl::StrCat(
      data_dir, ": no file for training: ", SomeFilesText(files),
      " are of eval splits by their names; name those that are meant for "
      "training, as in ",
      folder, "/", files.front()));
}

// A folder train without a file, as images lie in folders of it.
absl::Status NoneInTrain(const std::string& data_dir, const std::string& folder,
                         ObjectStore& store) {
  const auto names = store.List(absl::StrCat(folder, "/", kTrain));
  const bool folders =
      names.ok() && std::any_of(names->begin(), names->end(), IsFolder);
  return absl::NotFoundError(absl::StrCat(
      data_dir, ": no file for training: its folder train holds none",
      names.ok() ? HoldsText(*names) : "", "; put the shards there",
      folders ? ", or give --dataset=images for images of train/CLASS/" : ""));
}

}  // namespace

absl::StatusOr<SplitFiles> FindShards(const std::string& data_dir,
                                      ObjectStore& store,
                                      const SplitPatterns& patterns) {
  PODSIM_ASSIGN_OR_RETURN(FolderPattern at,
                          ListFolder(data_dir, patterns.train, store));
  const std::string& folder = at.folder;
  const std::vector<std::string>& names = at.names;
  std::string& pattern = at.pattern;
  if (pattern.empty() && Has(names, kUnfinishedName))
    return absl::DataLossError(absl::StrCat(
        folder, ": its shards are not all written, as ", kUnfinishedName,
        " is there: pod_data convert still runs or was ended; convert again "
        "into an empty folder, or name the files that are meant, as in ",
        folder, "/train-*"));
  bool folders = false;
  SplitNames split = SplitOf(names, pattern, &folders);
  if (pattern.empty() && !patterns.train.empty()) {
    folders = false;
    pattern = patterns.train;
    split = {.train = FilesLike(names, pattern),
             .eval = FilesLike(names, patterns.eval),
             .note = {}};
  }
  SplitFiles files;
  files.note = split.note;
  for (const auto& [of, to] : {std::pair(&split.train, &files.train),
                               std::pair(&split.eval, &files.eval)}) {
    if (!folders) {
      PODSIM_RETURN_IF_ERROR(AddFiles(folder, names, *of, store, *to));
    } else if (!of->empty()) {
      PODSIM_RETURN_IF_ERROR(
          AddFolder(absl::StrCat(folder, "/",
                                 of->front().substr(0, of->front().size() - 1)),
                    store, *to));
    }
  }
  if (pattern.empty())  // else these files are meant, and no others
    for (const auto* of : {&files.train, &files.eval})
      PODSIM_RETURN_IF_ERROR(CheckWholeSeries(*of));
  if (!files.train.empty()) return files;
  if (!split.eval.empty())
    return NothingToTrainOn(data_dir, folder, split.eval);
  if (folders) return NoneInTrain(data_dir, folder, store);
  return absl::NotFoundError(absl::StrCat(
      data_dir, ": no file for training: none is called ",
      pattern.empty() ? "train*, nor lies in a folder train" : pattern,
      FoldersText(names),
      patterns.train.empty()
          ? "; give a folder of shards, a file, or DIR/PATTERN"
          : "; give the folder that has such files"));
}

}  // namespace podsim
