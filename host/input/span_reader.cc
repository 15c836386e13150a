#include "host/input/span_reader.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/status.h"

namespace podsim {

SpanReader::SpanReader(const ShardFile& file, const PackedSpan& span,
                       ObjectStore& store, std::int64_t read_bytes)
    : path_(file.path),
      span_(span),
      inflater_(file, span, store, read_bytes),
      offset_(span.begin) {}

absl::StatusOr<std::string> SpanReader::Next(std::int64_t count) {
  std::string bytes(
      static_cast<std::size_t>(std::min(count, span_.end - offset_)), '\0');
  std::size_t made = 0;
  while (made < bytes.size()) {
    if (inflater_.ended())
      return absl::DataLossError(absl::StrCat(
          path_, ": offset ", offset_ + static_cast<std::int64_t>(made),
          ": the unpacked bytes end here, but went on to ", span_.end,
          " when the file was indexed: it is damaged, or has been changed "
          "since"));
    PODSIM_ASSIGN_OR_RETURN(const std::size_t more,
                            inflater_.Next(std::span(bytes).subspan(made)));
    made += more;
  }
  crc_ = Crc32c(std::as_bytes(std::span(bytes)), crc_);
  offset_ += static_cast<std::int64_t>(bytes.size());
  if (ended() && crc_ != span_.crc)
    return absl::DataLossError(absl::StrCat(
        path_, ": offset ", span_.begin, ": the checksum of the ",
        span_.end - span_.begin,
        " unpacked bytes from here is not the index's: the file is damaged, or "
        "has been changed since it was indexed"));
  return bytes;
}

}  // namespace podsim
