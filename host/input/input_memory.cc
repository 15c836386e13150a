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
// Of a lane, if it had all of the bytes. Of packed ones more: what is read is
// large enough, whatever a block is.
constexpr std::int64_t kLaneBlocks = 8;
constexpr std::int64_t kPackedLaneBlocks = 24;
// In order as many threads as reads in flight are at two spans each.
constexpr std::int64_t kPlacesInOrder = kGcsReadsInFlight / 2;
// Of each lane's part of the window: with fewer than two spans open at once one
// would be begun again and again.
constexpr std::int64_t kLeastOpenOfPlace = 2;
constexpr std::int64_t kMostOpenOfPlace = 3;
// Of such a span, beside packed bytes: what zlib has.
constexpr std::int64_t kOpenSpanBytes = std::int64_t{48} << 10;

std::int64_t ReaderBlockBytes(std::int64_t reader_bytes) {
  return std::clamp(reader_bytes / kReaderBlocks, kLeastBlockBytes,
                    kGcsReadBytes);
}

std::int64_t LaneBlockBytes(std::int64_t reader_bytes, std::int64_t blocks) {
  return std::clamp(reader_bytes / blocks, kLeastLaneBlockBytes,
                    ReaderBlockBytes(reader_bytes));
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
      lanes > 0 ? LaneBlockBytes(reader_bytes, kLaneBlocks * lanes)
                : ReaderBlockBytes(reader_bytes);
  return {
      .block_bytes = block,
      .arriving_bytes = std::min(block * kGcsReadsInFlight, reader_bytes / 4)};
}

ReaderParts PartsOfPacked(std::int64_t reader_bytes, std::int64_t lanes,
                          std::int64_t spans) {
  const std::int64_t places = lanes > 0 ? lanes : kPlacesInOrder;
  const std::int64_t stream =
      std::clamp(reader_bytes / (4 * kMostOpenOfPlace * places),
                 kLeastStreamBytes, kStreamReadBytes);
  const std::int64_t open = std::min(
      spans, std::clamp(reader_bytes / 4 / (stream + kOpenSpanBytes),
                        kLeastOpenOfPlace * places, kMostOpenOfPlace * places));
  const std::int64_t block =
      lanes > 0 ? LaneBlockBytes(reader_bytes, kPackedLaneBlocks * lanes)
                : ReaderBlockBytes(reader_bytes);
  return {
      .block_bytes = block,
      .arriving_bytes = block * std::min<std::int64_t>(open, kGcsReadsInFlight),
      .stream_bytes = stream,
      .open_spans = open,
      .open_bytes = open * (stream + kOpenSpanBytes)};
}

}  // namespace podsim
