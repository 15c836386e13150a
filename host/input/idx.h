// The IDX format of MNIST and its kin: a big-endian header (magic number, one
// 32-bit size per dimension), then one byte per value. Pure functions on bytes.
//
//   images  00 00 08 03  count  rows  columns  pixels ...
//   labels  00 00 08 01  count  labels ...
//
// Format: http://yann.lecun.com/exdb/mnist/ ("File formats").
#ifndef PODSIM_HOST_INPUT_IDX_H_
#define PODSIM_HOST_INPUT_IDX_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace podsim {

enum class IdxKind : std::uint8_t { kImages, kLabels };

inline constexpr std::int64_t kIdxMaxCount = 1'000'000'000;
inline constexpr std::int64_t kIdxMaxSide = 4096;  // rows and columns
// The whole file is held in memory; also the most that a .gz may unpack to.
inline constexpr std::int64_t kIdxMaxBytes = std::int64_t{8} << 30;

struct IdxHeader {
  std::int64_t count = 0;
  std::int64_t rows = 1;     // labels: 1
  std::int64_t columns = 1;  // labels: 1
  std::int64_t header_bytes = 0;
  std::int64_t payload_bytes() const { return count * rows * columns; }
  std::int64_t file_bytes() const { return header_bytes + payload_bytes(); }
};

// Bytes of the header.
std::int64_t IdxHeaderBytes(IdxKind kind);

// Reads the header at the start of `bytes`; more may follow. `file` is for
// messages. Errors: DATA_LOSS naming file, offset and reason.
absl::StatusOr<IdxHeader> ParseIdxHeader(IdxKind kind, std::string_view bytes,
                                         const std::string& file);

// A file of `size` bytes has exactly the payload that its header promises.
// Errors: as ParseIdxHeader.
absl::Status CheckIdxSize(const IdxHeader& header, std::int64_t size,
                          const std::string& file);

// Checks a whole file: header, and exactly the payload that it promises.
absl::StatusOr<IdxHeader> ParseIdx(IdxKind kind, std::string_view bytes,
                                   const std::string& file);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_IDX_H_
