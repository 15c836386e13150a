// The file of an index: of each shard its packing, where it ends, where its
// records begin and where its unpacking can, as numbers of 8 bytes, with the
// windows of these, and a checksum of all.
#ifndef PODSIM_HOST_INPUT_INDEX_FILE_H_
#define PODSIM_HOST_INPUT_INDEX_FILE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "host/input/shard_format.h"
#include "host/storage/posix_file.h"

namespace podsim {

// Writes one, shard by shard; nothing is called `path` before it is whole.
// The first error is kept for Finish.
class IndexWriter {
 public:
  // Makes the folder too.
  IndexWriter(const std::string& path, const std::string& key);
  ~IndexWriter();  // removes what was not finished
  IndexWriter(const IndexWriter&) = delete;
  IndexWriter& operator=(const IndexWriter&) = delete;

  bool ok() const { return status_.ok(); }
  void Append(const ShardRecords& shard);
  absl::Status Finish();

 private:
  void Write(std::string_view bytes);
  void WriteRestarts(const RestartPoints& restarts);
  void WriteNumbers(const std::vector<std::int64_t>& numbers);
  void Flush();
  void Keep(int error);

  const std::string path_;
  std::optional<TemporaryFile> temporary_;  // until it has its name
  absl::Status status_;
  std::string buffer_;
  std::uint32_t crc_ = 0;
};

// What is in it; offsets and windows are views of `bytes`, which lie where
// numbers of 8 bytes may.
// Errors: DATA_LOSS (damaged, or of another key).
absl::StatusOr<std::vector<IndexedShard>> ParseIndex(const std::string& key,
                                                     std::string_view bytes);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_INDEX_FILE_H_
