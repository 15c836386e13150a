#include "host/input/packed_source.h"

#include <algorithm>
#include <span>

#include "base/hash.h"
#include "base/status.h"

namespace podsim {
namespace {

// Bytes that are unpacked at a time.
constexpr std::int64_t kUnpackBytes = std::int64_t{256} << 10;
// Deflate makes at most 1,032 bytes of one
// (https://zlib.net/zlib_tech.html, "Maximum Compression Factor").
constexpr std::int64_t kMostExpansion = 1032;

}  // namespace

PackedSource::PackedSource(const ShardFile& file, ObjectStore& store,
                           std::int64_t read_bytes, RestartPoints* points)
    : file_(file),
      unpack_bytes_(
          static_cast<std::size_t>(std::min(read_bytes, kUnpackBytes))),
      points_(points),
      inflater_(file, store, read_bytes, /*stop_at_blocks=*/points != nullptr) {
  if (points_ != nullptr) points_->points = {RestartPoint()};
}

std::int64_t PackedSource::limit() const {
  return (file_.bytes + 1) * kMostExpansion;
}

absl::StatusOr<std::string_view> PackedSource::Peek(std::size_t count) {
  if (buffer_.size() - at_ < count) {
    buffer_.erase(0, at_);
    at_ = 0;
  }
  while (buffer_.size() < at_ + count && !inflater_.ended())
    PODSIM_RETURN_IF_ERROR(Unpack());
  return std::string_view(buffer_).substr(at_, count);
}

absl::Status PackedSource::Skip(std::int64_t count) {
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

// Appends unpack_bytes_ to buffer_, fewer at the end.
absl::Status PackedSource::Unpack() {
  std::size_t end = buffer_.size();
  buffer_.resize(end + unpack_bytes_);
  absl::Status status;
  while (end < buffer_.size() && !inflater_.ended()) {
    const auto made = inflater_.Next(std::span(buffer_).subspan(end));
    if (!made.ok()) {
      status = made.status();
      break;
    }
    Record(std::string_view(buffer_).substr(end, *made));
    end += *made;
  }
  buffer_.resize(end);
  return status;
}

// A span that began within a member ends with that at the latest: behind a
// member's end lie its checksums, and the next one's header.
void PackedSource::Record(std::string_view made) {
  if (points_ == nullptr) return;
  RestartPoint& last = points_->points.back();
  last.crc = Crc32c(std::as_bytes(std::span(made)),
                    static_cast<std::uint32_t>(last.crc));
  unpacked_ += static_cast<std::int64_t>(made.size());
  const bool nothing = unpacked_ == last.offset && points_->points.size() > 1;
  if (inflater_.ended()) {
    if (nothing) DropLastPoint();
    points_->end = unpacked_;
    return;
  }
  const bool within =
      last.window_end >
      (points_->points.size() > 1 ? points_->points.end()[-2].window_end : 0);
  const bool far = unpacked_ - last.offset >= points_->span_bytes;
  if (inflater_.at_member() ? !far && !within : !far || !inflater_.at_block())
    return;
  if (nothing) DropLastPoint();
  if (inflater_.at_block()) points_->windows += inflater_.PackedWindow();
  points_->points.push_back(
      {.offset = unpacked_,
       .packed = inflater_.packed(),
       .bits = inflater_.bits(),
       .window_end = static_cast<std::int64_t>(points_->windows.size())});
}

void PackedSource::DropLastPoint() {
  std::vector<RestartPoint>& points = points_->points;
  points.pop_back();
  points_->windows.resize(static_cast<std::size_t>(points.back().window_end));
}

}  // namespace podsim
