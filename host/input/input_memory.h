// How the memory that a process may use for its input is divided. Pure.
#ifndef PODSIM_HOST_INPUT_INPUT_MEMORY_H_
#define PODSIM_HOST_INPUT_INPUT_MEMORY_H_

#include <cstdint>

namespace podsim {

// Of readers' buffers, unless a job says how much memory its input may have.
inline constexpr std::int64_t kDefaultReaderBytes = std::int64_t{256} << 20;
// More batches ahead than that hide no wait that fewer do not.
inline constexpr std::int64_t kMostBatches = 8;
// That readers keep, unless they would be very small or large.
inline constexpr std::int64_t kReaderBlocks = 64;

struct InputMemory {
  std::int64_t batches = 2;  // in memory, the one in use among them
  std::int64_t reader_bytes = kDefaultReaderBytes;
};

// `bytes`: as --input_memory says; 0: two batches, and kDefaultReaderBytes for
// readers. Else half of it goes to batches of `batch_bytes` each (at least one,
// at most kMostBatches), what is left to readers. 0 batches: not one fits.
InputMemory DivideInputMemory(std::int64_t bytes, std::int64_t batch_bytes);

// Of readers' bytes, those for training examples; an evaluation reads in order
// and needs few.
std::int64_t TrainReaderBytes(std::int64_t reader_bytes);

// How readers of shards share their bytes; what is left they keep.
struct ReaderParts {
  // Kept as one, and of plain files read at once.
  std::int64_t block_bytes = 0;
  // Blocks that are being read.
  std::int64_t arriving_bytes = 0;
  // Of packed files: packed bytes that are read at once, spans that are open
  // (open_spans.h) at most, and what these take.
  std::int64_t stream_bytes = 0;
  std::int64_t open_spans = 0;
  std::int64_t open_bytes = 0;
};

// Where an epoch reads so many lanes side by side (epoch_order.h; 0: it does
// not). A block is so large that a store's delay is shared by many records, and
// so small that each lane has one that it has begun and one that it has not
// ended, in a quarter of the bytes.
ReaderParts PartsOfPlain(std::int64_t reader_bytes, std::int64_t lanes);

// The same of packed files of so many spans, with 16 threads that read ahead
// and 8 that make batches; each one more has a span and a block more. What is
// open takes a quarter, and what arrives 3/16, unless that is less than 80 KiB
// of a span and 16 KiB of a block.
ReaderParts PartsOfPacked(std::int64_t reader_bytes, std::int64_t lanes,
                          std::int64_t spans);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_INPUT_MEMORY_H_
