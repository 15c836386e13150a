#include "host/input/input_memory.h"

#include <algorithm>

#include "base/status.h"

namespace podsim {

InputMemory DivideInputMemory(std::int64_t bytes, std::int64_t batch_bytes) {
  PODSIM_CHECK(bytes >= 0 && batch_bytes >= 1);
  if (bytes == 0) return {};
  if (batch_bytes > bytes) return {.batches = 0, .reader_bytes = bytes};
  const std::int64_t batches =
      std::clamp<std::int64_t>(bytes / 2 / batch_bytes, 1, kMostBatches);
  return {.batches = batches, .reader_bytes = bytes - batches * batch_bytes};
}

}  // namespace podsim
