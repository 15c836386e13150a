// A file from front to back, through large ranged reads, unpacked on the way if
// it is packed.
#ifndef PODSIM_HOST_INPUT_BYTE_SOURCE_H_
#define PODSIM_HOST_INPUT_BYTE_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "host/input/restart_point.h"
#include "host/input/shard_files.h"
#include "host/storage/storage.h"

namespace podsim {

enum class Packing : std::uint8_t { kPlain, kPacked };  // gzip or zlib

// One thread at a time. Holds at most some MiB.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // The next `count` bytes, fewer only at the end; valid until the next call.
  // Errors: the store's; DATA_LOSS (file, offset, reason: packed bytes that are
  //   damaged).
  virtual absl::StatusOr<std::string_view> Peek(std::size_t count) = 0;
  // Passes over `count` bytes, fewer at the end; plain ones are not read.
  virtual absl::Status Skip(std::int64_t count) = 0;
  // Of the next byte, unpacked.
  virtual std::int64_t offset() const = 0;
  // Where the file ends, unpacked; of a packed one the most that it could.
  virtual std::int64_t limit() const = 0;
};

// gzip by its magic number, zlib by its header's check bits
// (https://www.rfc-editor.org/rfc/rfc1950, section 2.2), of a file's first
// bytes; the rest is plain.
Packing PackingOf(std::string_view start);

// `store` is borrowed. Reads nothing yet. `points` (null: not wanted;
// borrowed): of a packed file, where unpacking can begin, once all was passed
// over.
std::unique_ptr<ByteSource> OpenSource(const ShardFile& file, Packing packing,
                                       ObjectStore& store,
                                       RestartPoints* points = nullptr);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_BYTE_SOURCE_H_
