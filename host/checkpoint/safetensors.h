// The safetensors format, which Python's safetensors package reads: a header
// length (u64, little-endian), a JSON header with dtype, shape and data_offsets
// of each tensor, then the data without gaps.
//
// Layout of a file of S bytes:
//   [0, 8) length N   [8, 8 + N) header, padded with spaces   [8 + N, S) data
// Offsets count from the beginning of the data.
#ifndef PODSIM_HOST_CHECKPOINT_SAFETENSORS_H_
#define PODSIM_HOST_CHECKPOINT_SAFETENSORS_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace podsim {

struct TensorToWrite {
  std::string name;
  std::vector<std::int64_t> shape;
  std::span<const float> values;  // borrowed; as many as the shape says
};

// A whole file, float32, tensors in the order given; the data begins at a
// multiple of 8. REQUIRES: names are distinct UTF-8 and not "__metadata__".
std::string EncodeSafetensors(
    std::span<const TensorToWrite> tensors,
    const std::map<std::string, std::string>& metadata);

struct SafetensorsEntry {
  std::string name;
  std::string dtype;  // "F32"
  std::vector<std::int64_t> shape;
  // Of its bytes, from the beginning of the file.
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> tensors;  // in the order of their data
  std::map<std::string, std::string> metadata;
};

// The header's length stands in this many bytes; the format's limit on it.
inline constexpr std::int64_t kSafetensorsLengthBytes = 8;
inline constexpr std::int64_t kMaxSafetensorsHeaderBytes = 100'000'000;

// Where the data of a file of `file_bytes` begins: what ParseSafetensors needs
// of it. `start` is its first kSafetensorsLengthBytes, or all that there is.
// Errors: DATA_LOSS (a file without room for its header).
absl::StatusOr<std::int64_t> SafetensorsDataBegin(std::string_view start,
                                                  std::int64_t file_bytes);

// The header of a file of `file_bytes`, from what stands before its data (more
// may follow). Takes nothing on trust: any bytes give a header whose tensors
// lie inside the file, or an error.
// Errors: DATA_LOSS, naming what is wrong and where.
absl::StatusOr<SafetensorsHeader> ParseSafetensors(std::string_view start,
                                                   std::int64_t file_bytes);
// Of a whole file.
absl::StatusOr<SafetensorsHeader> ParseSafetensors(std::string_view file);

}  // namespace podsim

#endif  // PODSIM_HOST_CHECKPOINT_SAFETENSORS_H_
