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

// Bytes of a block, of readers that may keep so many. Large enough that a
// store's delay is shared by many records, and so small that some are kept.
std::int64_t ReaderBlockBytes(std::int64_t reader_bytes);

// The same where an epoch reads so many lanes side by side (epoch_order.h):
// each has a block that it has begun and one that it has not ended, which take
// a quarter of the bytes in all.
std::int64_t LaneBlockBytes(std::int64_t reader_bytes, std::int64_t lanes);

// Packed bytes that are read at a time, of two or three spans in each lane:
// what is open (open_spans.h) takes another quarter, unless there is so little
// that 80 KiB each are more.
std::int64_t LaneStreamBytes(std::int64_t reader_bytes, std::int64_t lanes);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_INPUT_MEMORY_H_
