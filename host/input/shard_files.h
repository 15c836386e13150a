// Which files of a data set are shards of which split.
#ifndef PODSIM_HOST_INPUT_SHARD_FILES_H_
#define PODSIM_HOST_INPUT_SHARD_FILES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "host/storage/storage.h"

namespace podsim {

// A file of this name in a folder: whoever writes its shards has not finished.
inline constexpr char kUnfinishedName[] = "_podsim_unfinished";

struct ShardFile {
  std::string path;
  std::int64_t bytes = 0;  // on the store
  std::string version;     // ObjectStat
};

struct SplitFiles {
  std::vector<ShardFile> train;  // in the order of their names
  std::vector<ShardFile> eval;   // may be empty: there is no eval split
  std::string note;              // SplitNames
};

struct SplitNames {
  std::vector<std::string> train;
  std::vector<std::string> eval;
  // How files of several splits in one folder were told apart, for people;
  // empty: they lie apart, or there is one split.
  std::string note;
};

// The rule, of the names in a folder (folders end in /). Names that begin with
// . or _ are passed over, but for one that is the pattern itself.
//   pattern empty: files that begin with "train" are for training; if there are
//     none, but a folder train/, they lie in folders (`folders`); if there is
//     neither, all files, but for .json, .md and .labels.txt.
//   pattern "train-*": files that match it (* is any run of characters).
// The eval split is found the same way, with "train" replaced by the first of
// eval, validation, valid, val, test that finds anything. Of all files, and of
// a pattern without that word, names are parted by these words, as TFDS writes
// them (mnist-train.tfrecord-00000-of-00001): files with the word train, or
// without any, are for training, the first of the others is the eval split.
SplitNames SplitOf(const std::vector<std::string>& names,
                   std::string_view pattern, bool* folders);

// Patterns of a format whose files have names of their own.
struct SplitPatterns {
  std::string train;  // empty: the rule above
  std::string eval;
};

// "train-*" matches "train-00000-of-00008".
bool MatchesPattern(std::string_view pattern, std::string_view name);

// Lists `data_dir`, DIR, DIR/PATTERN or DIR/FILE, and asks each file's size.
// `patterns` are a folder's, unless it says one itself.
// Errors: INVALID_ARGUMENT (empty, or a * in the folder), NOT_FOUND (no file
//   for training), DATA_LOSS (a folder whose shards are not all written, by
//   kUnfinishedName, or of which some are missing, by their own numbers), the
//   store's.
absl::StatusOr<SplitFiles> FindShards(const std::string& data_dir,
                                      ObjectStore& store,
                                      const SplitPatterns& patterns = {});

// fn(0) ... fn(count - 1) on a few threads, as most of the time goes to waiting
// for a store. Returns the error of the lowest that failed.
absl::Status OnSomeThreads(std::int64_t count,
                           const std::function<absl::Status(std::int64_t)>& fn);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_SHARD_FILES_H_
