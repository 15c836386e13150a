// Where the unpacking of a gzip or zlib file can begin, beside its front: what
// an index keeps, so that a host unpacks its own part of a file alone.
//
// Deflate refers to the 32 KiB before (its window), so that with these it can
// go on between any two of its blocks (https://www.rfc-editor.org/rfc/rfc1951,
// section 2), which begin at any bit. What lies between two points is a span.
#ifndef PODSIM_HOST_INPUT_RESTART_POINT_H_
#define PODSIM_HOST_INPUT_RESTART_POINT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace podsim {

// Of a file: what many of them have in all can be counted.
inline constexpr std::int64_t kMostUnpackedBytes = std::int64_t{1} << 50;

struct RestartPoint {
  std::int64_t offset = 0;  // of the next byte, unpacked
  std::int64_t packed = 0;  // of the next packed byte
  // Of the packed byte before that one, so many bits (its highest) are still to
  // be read: 0 to 7.
  std::int64_t bits = 0;
  // CRC32C of what unpacks from here to the next point, or to the end.
  std::int64_t crc = 0;
  // In the windows of the file, one behind the other, where this one's ends. It
  // is itself packed (zlib); none: a member of the file begins here.
  std::int64_t window_end = 0;
};

// All of a file, its front the first; of a plain file none.
struct RestartPoints {
  std::int64_t span_bytes = 0;  // wanted between two of them, unpacked
  std::vector<RestartPoint> points;
  std::string windows;
  std::int64_t end = 0;  // of the unpacked file
};

struct PackedSpan {
  std::int64_t begin = 0;  // unpacked
  std::int64_t end = 0;
  std::int64_t packed = 0;  // as of its point
  std::int64_t packed_end = 0;
  int bits = 0;
  std::uint32_t crc = 0;
  std::string_view window;
};

// The same as an index has them, whose windows these are.
struct PackedSpans {
  std::vector<RestartPoint> points;
  std::string_view windows;
  std::int64_t end = 0;

  // The span that has the unpacked byte `offset`. REQUIRES: there are points.
  std::size_t At(std::int64_t offset) const;
  // Of a file of so many packed bytes.
  PackedSpan Span(std::size_t at, std::int64_t packed_end) const;
  // Whether a file can have them.
  bool valid() const;
};

// How far at least to put them apart in files of so many packed bytes in all: a
// 512th, so that each of 64 lanes (epoch_order.h) has some, but 128 KiB to 4
// MiB, as each has a window of up to 32 KiB.
std::int64_t SpanBytes(std::int64_t packed_bytes);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_RESTART_POINT_H_
