// A data set of shards, of whatever format: found, indexed, and read example by
// example as they are wanted.
#ifndef PODSIM_HOST_INPUT_SHARD_DATASET_H_
#define PODSIM_HOST_INPUT_SHARD_DATASET_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "host/input/dataset.h"
#include "host/input/schema.h"
#include "host/input/shard_format.h"
#include "host/storage/storage.h"

namespace podsim {

// Examples of a window, which must be in memory at a time, where a job needs
// one and does not say how large.
inline constexpr std::int64_t kDefaultShuffleWindow = 4096;

// Records that are shuffled as a whole: their index takes 64 MiB.
inline constexpr std::int64_t kMostShuffled = std::int64_t{8} << 20;

// `store` is borrowed and must outlive the data set. The fingerprint covers
// the format, the schema, the classes, and of every shard its name, its size
// and the index; not the bytes of records, which have checksums of their own.
// Errors: those of FindShards and IndexOf; RESOURCE_EXHAUSTED (a window or a
//   record is larger than the readers' buffers: the numbers).
absl::StatusOr<std::shared_ptr<const Dataset>> OpenShards(
    const DatasetRequest& request, Schema schema,
    std::unique_ptr<const ShardFormat> format, ObjectStore& store,
    std::vector<std::string> notes = {});

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_SHARD_DATASET_H_
