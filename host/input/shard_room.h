// Whether shards can be read with the memory that there is for it, by their
// index and by how readers share it (input_memory.h). Reads nothing.
#ifndef PODSIM_HOST_INPUT_SHARD_ROOM_H_
#define PODSIM_HOST_INPUT_SHARD_ROOM_H_

#include <cstdint>

#include "absl/status/status.h"
#include "host/input/shard_set.h"

namespace podsim {

// `train` has TrainReaderBytes of `reader_bytes` (input_memory.h), `eval` what
// is left. `window` of the shuffle; 0: none, or they are read in order.
// Errors: RESOURCE_EXHAUSTED (a window, what is being unpacked of packed shards
//   or a record takes more: the numbers, and what to do).
absl::Status CheckRoom(const ShardSet& train, const ShardSet& eval,
                       std::int64_t window, std::int64_t reader_bytes);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_SHARD_ROOM_H_
