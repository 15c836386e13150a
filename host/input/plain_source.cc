#include "host/input/plain_source.h"

#include <algorithm>
#include <utility>

#include "base/status.h"

namespace podsim {
namespace {

// Headers that lie further apart than this are fetched one by one.
constexpr std::int64_t kFarApart = std::int64_t{1} << 20;

}  // namespace

PlainSource::PlainSource(const ShardFile& file, ObjectStore& store,
                         std::int64_t read_bytes, std::int64_t begin)
    : file_(file),
      store_(store),
      read_bytes_(read_bytes),
      begin_(begin),
      offset_(begin) {}

absl::StatusOr<std::string_view> PlainSource::Peek(std::size_t count) {
  if (offset_ >= file_.bytes) return std::string_view();
  const auto wanted = static_cast<std::int64_t>(count);
  if (offset_ + wanted > end() && end() < file_.bytes) {
    // What is left of the last read stays.
    buffer_.erase(0,
                  static_cast<std::size_t>(std::min(offset_, end()) - begin_));
    begin_ = offset_;
    const std::int64_t left = end() - begin_;
    const std::int64_t missing = offset_ + wanted - end();
    PODSIM_ASSIGN_OR_RETURN(
        std::string bytes,
        store_.ReadRange(
            file_.path, end(),
            std::min(
                file_.bytes - end(),
                far_apart_ ? missing : std::max(read_bytes_ - left, missing))));
    if (buffer_.empty())
      buffer_ = std::move(bytes);
    else
      buffer_ += bytes;
  }
  return std::string_view(buffer_).substr(
      static_cast<std::size_t>(std::min(offset_, end()) - begin_), count);
}

absl::StatusOr<std::string_view> PlainSource::Some() {
  if (offset_ >= end()) return Peek(static_cast<std::size_t>(read_bytes_));
  return std::string_view(buffer_).substr(
      static_cast<std::size_t>(offset_ - begin_));
}

absl::Status PlainSource::Skip(std::int64_t count) {
  far_apart_ = count > kFarApart;
  offset_ += count;
  return absl::OkStatus();
}

}  // namespace podsim
