// Where the records of a data set's shards lie: found once by reading all of
// them from front to back (of TFRecord files that are not packed the headers
// alone), and kept in a file of this machine, never beside the shards.
#ifndef PODSIM_HOST_INPUT_SHARD_INDEX_H_
#define PODSIM_HOST_INPUT_SHARD_INDEX_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "host/input/shard_files.h"
#include "host/input/shard_format.h"
#include "host/storage/storage.h"

namespace podsim {

// "$XDG_CACHE_HOME/podsim", else "$HOME/.cache/podsim"; empty: neither is set.
std::string IndexDirectory();

// What an index is of: the format, the shards' paths and sizes. A file that is
// changed but not its size is found out when it is read, by checksum.
std::string IndexKey(const ShardFormat& format,
                     const std::vector<ShardFile>& files);

// By position in `files`. Takes what `directory` (of this machine; empty: none)
// keeps under the key, else scans on a few threads and keeps that; one that
// cannot be kept is a warning in the log.
// Errors: those of ShardFormat::Scan, the store's.
absl::StatusOr<std::vector<ShardRecords>> IndexOf(
    const ShardFormat& format, const std::vector<ShardFile>& files,
    const std::string& directory, ObjectStore& store);

// The index's file, and back. Errors: DATA_LOSS (damaged, or of another key).
std::string SerializeIndex(const std::string& key,
                           const std::vector<ShardRecords>& shards);
absl::StatusOr<std::vector<ShardRecords>> ParseIndex(const std::string& key,
                                                     std::string_view bytes);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_SHARD_INDEX_H_
