// A span of a gzip or zlib file (restart_point.h), from its begin to its end.
#ifndef PODSIM_HOST_INPUT_SPAN_READER_H_
#define PODSIM_HOST_INPUT_SPAN_READER_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "host/input/inflater.h"
#include "host/input/restart_point.h"

namespace podsim {

// One thread at a time. Nothing is read beyond the span's packed bytes.
class SpanReader {
 public:
  // `store` is borrowed; what has the window may go afterwards. Reads the byte
  // in which the span begins.
  SpanReader(const ShardFile& file, const PackedSpan& span, ObjectStore& store,
             std::int64_t read_bytes);

  // Of the next byte, in the unpacked file.
  std::int64_t offset() const { return offset_; }
  bool ended() const { return offset_ == span_.end; }
  // The next `count` bytes, fewer at the span's end, with which its checksum is
  // compared: what came before is not checked yet. After an error it is of no
  // use any more. Errors: the store's; DATA_LOSS (file, offset, reason: damaged
  // packed bytes, or others than those that were indexed).
  absl::StatusOr<std::string> Next(std::int64_t count);

 private:
  const std::string path_;
  const PackedSpan span_;
  Inflater inflater_;
  std::int64_t offset_;
  std::uint32_t crc_ = 0;
};

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_SPAN_READER_H_
