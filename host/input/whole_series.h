// Whether shards that number themselves, NAME-00003-of-00008, are all there.
#ifndef PODSIM_HOST_INPUT_WHOLE_SERIES_H_
#define PODSIM_HOST_INPUT_WHOLE_SERIES_H_

#include <vector>

#include "absl/status/status.h"
#include "host/input/shard_files.h"
#include "host/storage/storage.h"

namespace podsim {

// Of every series that a file is of, all must be among the files, or lie in its
// folder. Other names say nothing. Errors: DATA_LOSS (how many are missing),
// the store's.
absl::Status CheckWholeSeries(const std::vector<ShardFile>& files);
absl::Status CheckWholeSeries(const std::vector<ShardFile>& files,
                              ObjectStore& store);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_WHOLE_SERIES_H_
