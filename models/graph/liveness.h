// Buffer placement by liveness: tensors that are never alive together share
// memory.
#ifndef PODSIM_MODELS_GRAPH_LIVENESS_H_
#define PODSIM_MODELS_GRAPH_LIVENESS_H_

#include <cstdint>
#include <vector>

namespace podsim {

// A buffer of `size` elements that is in use from step `first` to step `last`,
// both included.
struct BufferUse {
  std::int64_t size = 0;
  std::int32_t first = 0;
  std::int32_t last = 0;

  bool AliveWith(const BufferUse& other) const {
    return first <= other.last && other.first <= last;
  }
};

struct BufferPlacement {
  std::vector<std::int64_t> offsets;  // one per buffer, same order
  std::int64_t total = 0;
};

// Greedy by size: each buffer, largest first, goes into the smallest gap that
// holds it between the buffers already placed that are alive with it, or behind
// them. Deterministic; buffers alive together never overlap.
BufferPlacement PlaceBuffers(const std::vector<BufferUse>& buffers);

}  // namespace podsim

#endif  // PODSIM_MODELS_GRAPH_LIVENESS_H_
