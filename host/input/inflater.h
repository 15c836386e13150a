// Unpacks gzip (of several members) or zlib, from a file's front or from a
// restart point in it.
#ifndef PODSIM_HOST_INPUT_INFLATER_H_
#define PODSIM_HOST_INPUT_INFLATER_H_

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "host/input/plain_source.h"
#include "host/input/restart_point.h"

namespace podsim {

class Inflater {
 public:
  // From the front; `stop_at_blocks`: Next ends where unpacking could begin.
  // `store` is borrowed.
  Inflater(const ShardFile& file, ObjectStore& store, std::int64_t read_bytes,
           bool stop_at_blocks);
  // From a span's begin; reads the byte that has its first bits. What goes
  // wrong there Next says.
  Inflater(const ShardFile& file, const PackedSpan& span, ObjectStore& store,
           std::int64_t read_bytes);
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Writes some of the next bytes to `out` and says how many; none only where
  // none are left, or where unpacking could begin. REQUIRES: there is room.
  // Errors: the store's; DATA_LOSS (file, offset, reason).
  absl::StatusOr<std::size_t> Next(std::span<char> out);
  // There are no more bytes: of a span that began in a member, the member ends.
  bool ended() const { return ended_; }

  // A member, or a block of one, begins with the next byte; in a block the
  // window is what was unpacked before.
  bool at_member() const { return at_ == At::kMember; }
  bool at_block() const { return at_ == At::kBlock; }
  // Of the next packed byte, and bits of the one before it that are left.
  std::int64_t packed() const { return packed_.offset(); }
  std::int64_t bits() const { return at_block() ? stream_.data_type & 7 : 0; }
  // As an index keeps it.
  std::string PackedWindow();

 private:
  enum class At : std::uint8_t { kInside, kMember, kBlock };

  absl::Status Restart(const PackedSpan& span);
  absl::Status Damaged(const char* reason) const;

  const std::string path_;
  const int flush_;
  const bool in_member_;  // it began within one, whose end is ours
  PlainSource packed_;
  z_stream stream_{};
  absl::Status restart_;
  At at_ = At::kMember;
  bool ended_ = false;
  int idle_ = 0;  // calls in a row that neither read nor wrote
};

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_INFLATER_H_
