#include "host/input/byte_source.h"

#include <zlib.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/storage/gcs/reading.h"

namespace podsim {
namespace {

// Headers that lie further apart than this are fetched one by one.
constexpr std::int64_t kFarApart = std::int64_t{1} << 20;
// Bytes that are unpacked at a time.
constexpr std::size_t kUnpackBytes = std::size_t{256} << 10;
// Deflate makes at most 1,032 bytes of one
// (https://zlib.net/zlib_tech.html, "Maximum Compression Factor").
constexpr std::int64_t kMostExpansion = 1032;
constexpr int kGzipOrZlib = 32 + MAX_WBITS;  // zlib's way to say so

class PlainSource final : public ByteSource {
 public:
  PlainSource(const ShardFile& file, ObjectStore& store,
              std::int64_t read_bytes)
      : file_(file), store_(store), read_bytes_(read_bytes) {}

  absl::StatusOr<std::string_view> Peek(std::size_t count) override {
    const auto wanted = static_cast<std::int64_t>(count);
    if (offset_ < begin_ || (offset_ + wanted > end() && end() < file_.bytes)) {
      PODSIM_ASSIGN_OR_RETURN(
          buffer_, store_.ReadRange(
                       file_.path, offset_,
                       far_apart_ ? wanted : std::max(read_bytes_, wanted)));
      begin_ = offset_;
    }
    return std::string_view(buffer_).substr(
        static_cast<std::size_t>(std::min(offset_, end()) - begin_), count);
  }

  absl::Status Skip(std::int64_t count) override {
    far_apart_ = count > kFarApart;
    offset_ += count;
    return absl::OkStatus();
  }

  std::int64_t offset() const override { return offset_; }
  std::int64_t limit() const override { return file_.bytes; }

 private:
  std::int64_t end() const {
    return begin_ + static_cast<std::int64_t>(buffer_.size());
  }

  const ShardFile file_;
  ObjectStore& store_;
  const std::int64_t read_bytes_;
  std::string buffer_;
  std::int64_t begin_ = 0;  // of buffer_
  std::int64_t offset_ = 0;
  bool far_apart_ = false;
};

class PackedSource final : public ByteSource {
 public:
  PackedSource(const ShardFile& file, ObjectStore& store,
               std::int64_t read_bytes)
      : packed_(file, store, read_bytes),
        file_(file),
        unpack_bytes_(static_cast<std::size_t>(
            std::min<std::int64_t>(read_bytes, kUnpackBytes))) {
    PODSIM_CHECK(inflateInit2(&stream_, kGzipOrZlib) == Z_OK);
  }
  ~PackedSource() override { inflateEnd(&stream_); }

  absl::StatusOr<std::string_view> Peek(std::size_t count) override {
    if (buffer_.size() - at_ < count) {
      buffer_.erase(0, at_);
      at_ = 0;
    }
    while (buffer_.size() < at_ + count && !finished_)
      PODSIM_RETURN_IF_ERROR(Unpack());
    return std::string_view(buffer_).substr(at_, count);
  }

  absl::Status Skip(std::int64_t count) override {
    while (count > 0) {
      PODSIM_ASSIGN_OR_RETURN(
          const std::string_view bytes,
          Peek(static_cast<std::size_t>(std::min<std::int64_t>(
              count, static_cast<std::int64_t>(unpack_bytes_)))));
      if (bytes.empty()) return absl::OkStatus();
      at_ += bytes.size();
      offset_ += static_cast<std::int64_t>(bytes.size());
      count -= static_cast<std::int64_t>(bytes.size());
    }
    return absl::OkStatus();
  }

  std::int64_t offset() const override { return offset_; }
  std::int64_t limit() const override {
    return (file_.bytes + 1) * kMostExpansion;
  }

 private:
  // Appends up to unpack_bytes_ to buffer_.
  absl::Status Unpack() {
    PODSIM_ASSIGN_OR_RETURN(const std::string_view in,
                            packed_.Peek(unpack_bytes_));
    const std::size_t before = buffer_.size();
    buffer_.resize(before + unpack_bytes_);
    stream_.next_in = reinterpret_cast<Bytef*>(
        const_cast<char*>(in.data()));  // zlib only reads it
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data() + before);
    stream_.avail_out = static_cast<uInt>(unpack_bytes_);
    const int result = inflate(&stream_, Z_NO_FLUSH);
    buffer_.resize(buffer_.size() - stream_.avail_out);
    const auto used = static_cast<std::int64_t>(in.size() - stream_.avail_in);
    PODSIM_RETURN_IF_ERROR(packed_.Skip(used));
    if (result == Z_STREAM_END) {
      // gzip files may be several in a row.
      finished_ = packed_.offset() >= packed_.limit();
      if (!finished_) inflateReset(&stream_);
      return absl::OkStatus();
    }
    if (result == Z_OK && (used > 0 || buffer_.size() > before))
      return absl::OkStatus();
    return absl::DataLossError(absl::StrCat(
        file_.path, ": offset ", packed_.offset(), " (of the packed bytes): ",
        result == Z_OK || result == Z_BUF_ERROR ? "the file is cut short"
        : stream_.msg != nullptr                ? stream_.msg
                                                : "no gzip or zlib data"));
  }

  PlainSource packed_;
  const ShardFile file_;
  const std::size_t unpack_bytes_;
  z_stream stream_{};
  std::string buffer_;
  std::size_t at_ = 0;       // in buffer_, of the next byte
  std::int64_t offset_ = 0;  // likewise, in the unpacked file
  bool finished_ = false;
};

}  // namespace

Packing PackingOf(std::string_view start) {
  if (start.size() < 2) return Packing::kPlain;
  const auto first = static_cast<unsigned char>(start[0]);
  const auto second = static_cast<unsigned char>(start[1]);
  if (first == 0x1f && second == 0x8b) return Packing::kPacked;
  // Deflate with a window of at most 32 KiB.
  if ((first & 0x0f) == 8 && first >> 4 <= 7 &&
      (first * 256 + second) % 31 == 0)
    return Packing::kPacked;
  return Packing::kPlain;
}

std::unique_ptr<ByteSource> OpenSource(const ShardFile& file, Packing packing,
                                       ObjectStore& store,
                                       std::int64_t read_bytes) {
  if (packing == Packing::kPacked)
    return std::make_unique<PackedSource>(file, store, read_bytes);
  return std::make_unique<PlainSource>(file, store, read_bytes);
}

}  // namespace podsim
