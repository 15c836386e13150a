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
// Of a lane, if it had all of the bytes.
constexpr std::int64_t kLaneBlocks = 8;
// As many spans are open as threads may be at, and two in each lane: one of
// them in its middle, where a window ends.
constexpr std::int64_t kOpenOfLane = 2;
constexpr std::int64_t kReadingThreads = kGcsReadsInFlight + 8;
// A packed file's blocks take no more reads if they are small.
constexpr std::int64_t kPackedBlocksOfPlain = 2;
// Of such a span, beside packed bytes: what zlib has.
constexpr std::int64_t kOpenSpanBytes = std::int64_t{48} << 10;

std::int64_t ReaderBlockBytes(std::int64_t reader_bytes) {
  return std::clamp(reader_bytes / kReaderBlocks, kLeastBlockBytes,
                    kGcsReadBytes);
}

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

ReaderParts PartsOfPlain(std::int64_t reader_bytes, std::int64_t lanes) {
  const std::int64_t block =
      lanes > 0
          ? std::clamp(reader_bytes / (kLaneBlocks * lanes),
                       kLeastLaneBlockBytes, ReaderBlockBytes(reader_bytes))
          : ReaderBlockBytes(reader_bytes);
  return {
      .block_bytes = block,
      .arriving_bytes = std::min(block * kGcsReadsInFlight, reader_bytes / 4)};
}

ReaderParts PartsOfPacked(std::int64_t reader_bytes, std::int64_t lanes,
                          std::int64_t spans) {
  const std::int64_t most = std::max(kOpenOfLane * lanes, kReadingThreads);
  const std::int64_t open = std::min(most, spans);
  const std::int64_t stream =
      std::clamp(reader_bytes / (4 * most) - kOpenSpanBytes, kLeastStreamBytes,
                 kStreamReadBytes);
  const std::int64_t block =
      ReaderBlockBytes(reader_bytes / kPackedBlocksOfPlain);
  return {.block_bytes = block,
          .arriving_bytes = block * std::min(open, kReadingThreads),
          .stream_bytes = stream,
          .open_spans = open,
          .open_bytes = open * (stream + kOpenSpanBytes)};
}

}  // namespace podsim
