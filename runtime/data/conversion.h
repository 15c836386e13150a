// pod_data convert: any data set as TFRecord shards.
#ifndef PODSIM_RUNTIME_DATA_CONVERSION_H_
#define PODSIM_RUNTIME_DATA_CONVERSION_H_

#include <string>

#include "absl/status/statusor.h"
#include "host/input/dataset.h"
#include "host/storage/storage.h"
#include "proto/programs.pb.h"

namespace podsim {

// Writes output/train-*-of-* and, of the eval split, one eval-00000-of-00001,
// the examples in their order, as many in each shard but for one. Fields of
// float32 become lists of floats, of int32 and uint32 of integers, of uint8 and
// bool a string of bytes. Holds one shard in memory. After an error what was
// written is removed. Until all is written the folder has kUnfinishedName
// (host/input/shard_files.h), by which a job refuses it: one that is killed
// leaves nothing that would pass for a data set. Returns what to say, with the
// line of schema that reads them.
// Errors: INVALID_ARGUMENT (no output; a schema that draws at random; a field
//   of bfloat16), ALREADY_EXISTS (the folder has shards, or kUnfinishedName),
//   those of Dataset::Read and the store.
absl::StatusOr<std::string> Convert(const Dataset& dataset,
                                    const DataSettings& settings,
                                    ObjectStore& store);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_DATA_CONVERSION_H_
