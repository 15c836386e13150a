#include "host/checkpoint/parts_path.h"

#include "host/checkpoint/layout.h"

namespace podsim {

std::string PartsPath(const ObjectStore& store, const std::string& model_dir,
                      std::int64_t step, std::int64_t stamp) {
  return store.CanRename(model_dir) ? UnfinishedPath(model_dir, step, stamp)
                                    : StampPath(model_dir, step, stamp);
}

}  // namespace podsim
