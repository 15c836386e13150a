#include "host/input/input_memory.h"

#include <algorithm>

#include "base/status.h"
#include "host/storage/gcs/reading.h"

namespace podsim {
namespace {

constexpr std::int64_t kLeastBlockBytes = std::int64_t{16} << 10;
constexpr std::int64_t kLeastLaneBlockBytes = std::int64_t{4} << 10;
constexpr std::int64_t kLeastStreamBytes = std::int64_t{32} << 10;
constexpr std::int64_t kEvalPart = 8;

}  // namespace

InputMemory DivideInputMemory(std::int64_t bytes, std::int64_t batch_bytes) {
  PODSIM_CHECK(bytes >= 0 && batch_bytes >= 1);
  if (bytes == 0) return {};
  if (batch_bytes > bytes) return {.batches = 0, .reader_bytes = bytes};
  const std::int64_t batches =
      std::clamp<std::int64_t>(bytes / 2 / batch_bytes, 1, kMostBatches);
  return {.batches = batches, .reader_bytes = bytes - batches * batch_bytes};
}

std::int64_t TrainReaderBytes(std::int64_t reader_bytes) {
  return reader_bytes - reader_bytes / kEvalPart;
}

std::int64_t ReaderBlockBytes(std::int64_t reader_bytes) {
  return std::clamp(reader_bytes / kReaderBlocks, kLeastBlockBytes,
                    kGcsReadBytes);
}

std::int64_t LaneBlockBytes(std::int64_t reader_bytes, std::int64_t lanes) {
  return std::clamp(reader_bytes / (8 * lanes), kLeastLaneBlockBytes,
                    ReaderBlockBytes(reader_bytes));
}

std::int64_t LaneStreamBytes(std::int64_t reader_bytes, std::int64_t lanes) {
  return std::clamp(reader_bytes / (12 * lanes), kLeastStreamBytes,
                    kStreamReadBytes);
}

}  // namespace podsim
