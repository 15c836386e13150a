// A format of shards: how records follow each other in a file, and what is in
// one. One file and one line in the table of dataset.cc each.
#ifndef PODSIM_HOST_INPUT_SHARD_FORMAT_H_
#define PODSIM_HOST_INPUT_SHARD_FORMAT_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "host/input/byte_source.h"
#include "host/input/schema.h"
#include "host/input/shard_files.h"
#include "host/input/write_field.h"

namespace podsim {

// Where a file's records lie, in its unpacked bytes: as a scan finds them.
struct ShardRecords {
  Packing packing = Packing::kPlain;
  std::vector<std::int64_t> offsets;  // where each begins, rising
  std::int64_t end = 0;               // where the last ends
  RestartPoints restarts;
};

// The same as an index has them, whose numbers these are.
struct IndexedShard {
  Packing packing = Packing::kPlain;
  std::span<const std::int64_t> offsets;
  std::int64_t end = 0;
  PackedSpans spans;

  std::int64_t count() const {
    return static_cast<std::int64_t>(offsets.size());
  }
  std::int64_t EndOf(std::int64_t record) const {
    const auto next = static_cast<std::size_t>(record) + 1;
    return next < offsets.size() ? offsets[next] : end;
  }
};

// Immutable and thread-safe.
class ShardFormat {
 public:
  virtual ~ShardFormat() = default;
  virtual std::string name() const = 0;
  virtual SplitPatterns patterns() const { return {}; }
  // Whether records are lines of text, which messages count.
  virtual bool lines() const { return false; }
  // Of a file's first bytes (up to 16).
  virtual Packing PackingOfFile(std::string_view start) const {
    return PackingOf(start);
  }
  // Reads a file from front to back, for where its records lie. `file` is for
  // messages. Errors: DATA_LOSS (file, offset, reason), the source's.
  virtual absl::Status Scan(ByteSource& source, const std::string& file,
                            ShardRecords& records) const = 0;
  // Finds the fields' features in a whole record, whose bytes the views are of,
  // or of `scratch`. `offset` and `file` are for messages.
  // Errors: DATA_LOSS (file, offset, reason).
  virtual absl::Status Parse(std::string_view record, std::int64_t offset,
                             const std::string& file, std::string& scratch,
                             absl::Span<RawFeature> features) const = 0;
};

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_SHARD_FORMAT_H_
