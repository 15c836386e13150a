// Where a host writes its part of a checkpoint that is not committed yet.
#ifndef PODSIM_HOST_CHECKPOINT_PARTS_PATH_H_
#define PODSIM_HOST_CHECKPOINT_PARTS_PATH_H_

#include <cstdint>
#include <string>

#include "host/storage/storage.h"

namespace podsim {

// UnfinishedPath, which is renamed to commit it, or StampPath on a store of
// objects (layout.h).
std::string PartsPath(const ObjectStore& store, const std::string& model_dir,
                      std::int64_t step, std::int64_t stamp);

}  // namespace podsim

#endif  // PODSIM_HOST_CHECKPOINT_PARTS_PATH_H_
