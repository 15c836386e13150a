// Where the records of a data set's shards lie: found once by reading all of
// them from front to back (of TFRecord files that are not packed the headers
// alone), and kept in a file of this machine, never beside the shards.
#ifndef PODSIM_HOST_INPUT_SHARD_INDEX_H_
#define PODSIM_HOST_INPUT_SHARD_INDEX_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "host/input/shard_files.h"
#include "host/input/shard_format.h"
#include "host/storage/mapped_file.h"
#include "host/storage/storage.h"

namespace podsim {

// "$XDG_CACHE_HOME/podsim", else "$HOME/.cache/podsim"; empty: neither is set.
std::string IndexDirectory();

// What an index is of: the format, the shards' paths, sizes and versions. One
// of files that have been written since is another's.
std::string IndexKey(const ShardFormat& format,
                     const std::vector<ShardFile>& files);

// Immutable. What it has of each record, and windows, lie in the file that
// keeps it, which is mapped: memory that the machine may take back; where
// nothing keeps it, they lie in memory.
class ShardIndex {
 public:
  explicit ShardIndex(std::vector<ShardRecords> scanned);
  ShardIndex(MappedFile file, std::vector<IndexedShard> shards);

  // By position in the files that it is of.
  const std::vector<IndexedShard>& shards() const { return shards_; }
  bool kept() const { return file_.has_value(); }
  // Gives back what memory has of the file.
  void Forget() const;

 private:
  const std::vector<ShardRecords> scanned_;
  const std::optional<MappedFile> file_;
  std::vector<IndexedShard> shards_;
};

// Takes what `directory` (of this machine; empty: none) keeps under the key,
// else scans on a few threads and keeps that, some shards at a time; one that
// cannot be kept is a warning in the log.
// Errors: those of ShardFormat::Scan, the store's.
absl::StatusOr<std::shared_ptr<const ShardIndex>> IndexOf(
    const ShardFormat& format, const std::vector<ShardFile>& files,
    const std::string& directory, ObjectStore& store);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_SHARD_INDEX_H_
