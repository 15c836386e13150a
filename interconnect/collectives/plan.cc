#include "interconnect/collectives/plan.h"

#include <algorithm>

namespace podsim {

Range SegmentOf(std::int64_t elements, int world, int index) {
  const std::int64_t share = elements / world;
  const std::int64_t longer = elements % world;
  return {index * share + std::min<std::int64_t>(index, longer),
          share + (index < longer ? 1 : 0)};
}

}  // namespace podsim
