#include "host/input/inflater.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace podsim {
namespace {

constexpr int kGzipOrZlib = 32 + MAX_WBITS;  // zlib's ways to say so
constexpr int kDeflateAlone = -MAX_WBITS;
constexpr int kBlockEnd = 128;  // bits of z_stream::data_type
constexpr int kLastBlock = 64;
constexpr std::size_t kWindowBytes = std::size_t{1} << MAX_WBITS;
constexpr int kByteBits = 8;
// The end of a block may be in bits that zlib has read before.
constexpr int kMostIdle = 2;

Bytef* BytesOf(const char* bytes) {  // which zlib only reads
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes));
}

// The part of it that a span is in: the byte that has its first bits, too.
ShardFile PartUntil(const ShardFile& file, std::int64_t end) {
  ShardFile part = file;
  part.bytes = std::min(part.bytes, end);
  return part;
}

}  // namespace

Inflater::Inflater(const ShardFile& file, ObjectStore& store,
                   std::int64_t read_bytes, bool stop_at_blocks)
    : path_(file.path),
      flush_(stop_at_blocks ? Z_BLOCK : Z_NO_FLUSH),
      in_member_(false),
      packed_(file, store, read_bytes) {
  PODSIM_CHECK(inflateInit2(&stream_, kGzipOrZlib) == Z_OK);
}

Inflater::Inflater(const ShardFile& file, const PackedSpan& span,
                   ObjectStore& store, std::int64_t read_bytes)
    : path_(file.path),
      flush_(Z_NO_FLUSH),
      in_member_(!span.window.empty()),
      packed_(PartUntil(file, span.packed_end), store, read_bytes,
              span.packed - (span.bits > 0 ? 1 : 0)) {
  PODSIM_CHECK(
      inflateInit2(&stream_, in_member_ ? kDeflateAlone : kGzipOrZlib) == Z_OK);
  if (in_member_) restart_ = Restart(span);
}

absl::Status Inflater::Restart(const PackedSpan& span) {
  if (span.bits > 0) {
    PODSIM_ASSIGN_OR_RETURN(const std::string_view first, packed_.Peek(1));
    if (first.empty()) return Damaged("the file is cut short");
    inflatePrime(
        &stream_, span.bits,
        static_cast<unsigned char>(first[0]) >> (kByteBits - span.bits));
    PODSIM_RETURN_IF_ERROR(packed_.Skip(1));
  }
  std::array<Bytef, kWindowBytes> window{};
  uLongf size = window.size();
  const bool whole =
      uncompress(window.data(), &size, BytesOf(span.window.data()),
                 static_cast<uLong>(span.window.size())) == Z_OK &&
      inflateSetDictionary(&stream_, window.data(), static_cast<uInt>(size)) ==
          Z_OK;
  return whole ? absl::OkStatus() : Damaged("its index is damaged here");
}

std::string Inflater::PackedWindow() {
  std::array<Bytef, kWindowBytes> window{};
  uInt size = 0;
  PODSIM_CHECK(inflateGetDictionary(&stream_, window.data(), &size) == Z_OK);
  std::string packed(compressBound(size), '\0');
  uLongf packed_size = packed.size();
  PODSIM_CHECK(compress2(reinterpret_cast<Bytef*>(packed.data()), &packed_size,
                         window.data(), size, Z_BEST_SPEED) == Z_OK);
  packed.resize(packed_size);
  return packed;
}

absl::StatusOr<std::size_t> Inflater::Next(std::span<char> out) {
  PODSIM_RETURN_IF_ERROR(restart_);
  PODSIM_ASSIGN_OR_RETURN(const std::string_view in, packed_.Some());
  stream_.next_in = BytesOf(in.data());
  stream_.avail_in = static_cast<uInt>(in.size());
  stream_.next_out = reinterpret_cast<Bytef*>(out.data());
  stream_.avail_out = static_cast<uInt>(out.size());
  const int result = inflate(&stream_, flush_);
  const std::size_t made = out.size() - stream_.avail_out;
  const std::size_t used = in.size() - stream_.avail_in;
  PODSIM_RETURN_IF_ERROR(packed_.Skip(static_cast<std::int64_t>(used)));
  if (result == Z_STREAM_END) {
    at_ = At::kMember;
    ended_ = in_member_ || packed_.offset() >= packed_.limit();
    if (!ended_) inflateReset(&stream_);
    return made;
  }
  const bool block = (stream_.data_type & kBlockEnd) != 0 &&
                     (stream_.data_type & kLastBlock) == 0 &&
                     stream_.total_out > 0;
  at_ = block ? At::kBlock : At::kInside;
  idle_ = used > 0 || made > 0 ? 0 : idle_ + 1;
  if ((result == Z_OK || result == Z_BUF_ERROR) && idle_ <= kMostIdle)
    return made;
  return Damaged(idle_ > kMostIdle        ? "the file is cut short"
                 : stream_.msg != nullptr ? stream_.msg
                                          : "no gzip or zlib data");
}

absl::Status Inflater::Damaged(const char* reason) const {
  return absl::DataLossError(absl::StrCat(path_, ": offset ", packed_.offset(),
                                          " (of the packed bytes): ", reason,
                                          ": fetch or pack the file again"));
}

}  // namespace podsim
