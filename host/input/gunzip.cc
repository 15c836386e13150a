#include "host/input/gunzip.h"

#include <zlib.h>

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace podsim {
namespace {

constexpr int kGzipOnly = 16 + MAX_WBITS;  // zlib's way to say so
// zlib counts in unsigned int; the output also grows by no more than this at a
// time, so that memory follows what really arrives.
constexpr std::size_t kPiece = std::size_t{1} << 20;

// One pass over a gzip file, which may be several gzip members in a row.
class Unpacker {
 public:
  Unpacker(std::string_view packed, const std::string& file)
      : packed_(packed), file_(file) {
    PODSIM_CHECK(inflateInit2(&stream_, kGzipOnly) == Z_OK);
  }
  ~Unpacker() { inflateEnd(&stream_); }
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  // Appends up to `room` bytes to `out`. Once it appends none, the file has
  // been read to its end and every checksum was right.
  absl::Status Next(std::size_t room, std::string& out) {
    const std::size_t before = out.size();
    room = std::min(room, kPiece);
    out.resize(before + room);
    stream_.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream_.avail_out = static_cast<uInt>(room);
    absl::Status status;
    while (status.ok() && stream_.avail_out > 0 && !finished_) status = Step();
    out.resize(before + room - stream_.avail_out);
    return status;
  }

 private:
  absl::Status Step() {
    const std::size_t part = std::min(packed_.size() - read_, kPiece);
    stream_.next_in = reinterpret_cast<Bytef*>(
        const_cast<char*>(packed_.data() + read_));  // zlib only reads it
    stream_.avail_in = static_cast<uInt>(part);
    const uInt room = stream_.avail_out;
    const int result = inflate(&stream_, Z_NO_FLUSH);
    const std::size_t used = part - stream_.avail_in;
    read_ += used;
    if (result == Z_STREAM_END) {
      finished_ = read_ == packed_.size();
      if (!finished_) inflateReset(&stream_);
      return absl::OkStatus();
    }
    if (result == Z_OK && (used > 0 || stream_.avail_out < room))
      return absl::OkStatus();
    if (result == Z_OK || result == Z_BUF_ERROR)
      return Corrupt("the gzip data is cut short");
    return Corrupt(stream_.msg != nullptr ? stream_.msg : "not gzip data");
  }

  absl::Status Corrupt(const char* reason) const {
    return absl::DataLossError(absl::StrCat(file_, ": offset ", read_,
                                            " (of the packed bytes): ", reason,
                                            ": fetch or pack the file again"));
  }

  const std::string_view packed_;
  const std::string& file_;
  z_stream stream_{};
  std::size_t read_ = 0;
  bool finished_ = false;
};

}  // namespace

// Data that do not compress are stored in blocks with some bytes each, at least
// every 16 KiB.
std::int64_t MostPackedBytes(std::int64_t unpacked) {
  return unpacked + unpacked / 1000 + (std::int64_t{1} << 20);
}

absl::StatusOr<std::string> GunzipPrefix(std::string_view packed,
                                         std::int64_t length,
                                         const std::string& file) {
  Unpacker unpacker(packed, file);
  std::string out;
  while (static_cast<std::int64_t>(out.size()) < length) {
    const std::size_t before = out.size();
    PODSIM_RETURN_IF_ERROR(unpacker.Next(length - before, out));
    if (out.size() == before) break;
  }
  return out;
}

absl::StatusOr<std::string> Gunzip(std::string_view packed, std::int64_t limit,
                                   const std::string& file) {
  Unpacker unpacker(packed, file);
  std::string out;
  for (;;) {
    const std::size_t before = out.size();
    // One byte more than allowed tells "just full" from "too much", and lets
    // the last pass reach the checksum.
    const std::size_t room = static_cast<std::size_t>(limit) + 1 - before;
    PODSIM_RETURN_IF_ERROR(unpacker.Next(room, out));
    if (out.size() == before) return out;
    if (static_cast<std::int64_t>(out.size()) > limit)
      return absl::DataLossError(
          absl::StrCat(file, ": offset ", limit,
                       " (unpacked): more data than the header promises: "
                       "fetch the file again"));
  }
}

}  // namespace podsim
