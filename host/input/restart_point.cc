#include "host/input/restart_point.h"

#include <algorithm>

#include "base/status.h"

namespace podsim {
namespace {

constexpr std::int64_t kSpans = 512;  // were files as large unpacked
constexpr std::int64_t kLeastSpanBytes = std::int64_t{128} << 10;
constexpr std::int64_t kMostSpanBytes = std::int64_t{4} << 20;
constexpr std::int64_t kMostBits = 7;

std::int64_t WindowBegin(const std::vector<RestartPoint>& points,
                         std::size_t at) {
  return at == 0 ? 0 : points[at - 1].window_end;
}

}  // namespace

std::int64_t SpanBytes(std::int64_t packed_bytes) {
  return std::clamp(packed_bytes / kSpans, kLeastSpanBytes, kMostSpanBytes);
}

std::size_t PackedSpans::At(std::int64_t offset) const {
  PODSIM_CHECK(!points.empty());
  const auto next =
      std::upper_bound(points.begin() + 1, points.end(), offset,
                       [](std::int64_t at, const RestartPoint& point) {
                         return at < point.offset;
                       });
  return static_cast<std::size_t>(next - points.begin()) - 1;
}

PackedSpan PackedSpans::Span(std::size_t at, std::int64_t packed_end) const {
  const RestartPoint& point = points[at];
  const bool last = at + 1 == points.size();
  const std::int64_t window = WindowBegin(points, at);
  return {.begin = point.offset,
          .end = last ? end : points[at + 1].offset,
          .packed = point.packed,
          .packed_end = last ? packed_end : points[at + 1].packed,
          .bits = static_cast<int>(point.bits),
          .crc = static_cast<std::uint32_t>(point.crc),
          .window = windows.substr(
              static_cast<std::size_t>(window),
              static_cast<std::size_t>(point.window_end - window))};
}

bool PackedSpans::valid() const {
  for (std::size_t at = 0; at < points.size(); ++at) {
    const RestartPoint& point = points[at];
    const bool after = at == 0 ? point.offset == 0 && point.packed == 0
                               : point.offset > points[at - 1].offset &&
                                     point.packed > points[at - 1].packed &&
                                     point.offset < end;
    const std::int64_t window = point.window_end - WindowBegin(points, at);
    if (!after || point.bits < 0 || point.bits > kMostBits || window < 0 ||
        // A member begins with a byte, and the file with a member.
        (window == 0 ? point.bits > 0 : at == 0) ||
        point.window_end > static_cast<std::int64_t>(windows.size()))
      return false;
  }
  return end >= 0 && end <= kMostUnpackedBytes;
}

}  // namespace podsim
