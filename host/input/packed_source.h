// A gzip or zlib file from front to back, unpacked on the way.
#ifndef PODSIM_HOST_INPUT_PACKED_SOURCE_H_
#define PODSIM_HOST_INPUT_PACKED_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "host/input/byte_source.h"
#include "host/input/inflater.h"
#include "host/input/restart_point.h"

namespace podsim {

class PackedSource final : public ByteSource {
 public:
  // `store` is borrowed. Reads nothing yet. `points` (null: not wanted;
  // borrowed; empty, but says how far apart) has, once all was passed over,
  // where unpacking can begin.
  PackedSource(const ShardFile& file, ObjectStore& store,
               std::int64_t read_bytes, RestartPoints* points);

  absl::StatusOr<std::string_view> Peek(std::size_t count) override;
  absl::Status Skip(std::int64_t count) override;
  std::int64_t offset() const override { return offset_; }
  std::int64_t limit() const override;

 private:
  absl::Status Unpack();
  void Record(std::string_view made);
  void DropLastPoint();

  const ShardFile file_;
  const std::size_t unpack_bytes_;
  RestartPoints* const points_;
  Inflater inflater_;
  std::string buffer_;
  std::size_t at_ = 0;         // in buffer_, of the next byte
  std::int64_t offset_ = 0;    // likewise, in the unpacked file
  std::int64_t unpacked_ = 0;  // bytes so far
};

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_PACKED_SOURCE_H_
