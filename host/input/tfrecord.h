// The framing of TFRecord files: per record its length (8 bytes, little
// endian), the masked CRC32C of these, its bytes, the masked CRC32C of those
// (https://www.tensorflow.org/tutorials/load_data/tfrecord, "TFRecords format
// details"). Pure.
#ifndef PODSIM_HOST_INPUT_TFRECORD_H_
#define PODSIM_HOST_INPUT_TFRECORD_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace podsim {

inline constexpr std::int64_t kRecordHeader = 12;
inline constexpr std::int64_t kRecordFooter = 4;
// As many as a message of protobuf can have.
inline constexpr std::int64_t kMostRecordBytes = (std::int64_t{1} << 31) - 1;

// Rotated and shifted, so that a CRC of bytes that hold CRCs is a good one.
std::uint32_t MaskedCrc(std::string_view bytes);

// Where a record lies that a file of `size` bytes has at `offset`.
struct RecordAt {
  std::int64_t begin = 0;   // of its bytes
  std::int64_t length = 0;  // of them
  std::int64_t end() const { return begin + length + kRecordFooter; }
};

// Reads the header at `offset` from `bytes`, which begin there. `file` is for
// messages.
// Errors: DATA_LOSS (file, offset, reason): cut short, a length whose checksum
//   is wrong, or that reaches beyond the file, or is above kMostRecordBytes.
absl::StatusOr<RecordAt> ParseRecordHeader(std::string_view bytes,
                                           std::int64_t offset,
                                           std::int64_t size,
                                           const std::string& file);

// `bytes` are a whole record's, header and footer with them. Returns its own,
// within them. Errors: as ParseRecordHeader; also where its checksum is wrong.
absl::StatusOr<std::string_view> CheckRecord(std::string_view bytes,
                                             std::int64_t offset,
                                             const std::string& file);

// What a writer puts before and behind `record`.
std::string FrameRecord(std::string_view record);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_TFRECORD_H_
