// Bytes packed by zlib, for tests.
#ifndef PODSIM_TESTS_HOST_INPUT_GZIP_BYTES_H_
#define PODSIM_TESTS_HOST_INPUT_GZIP_BYTES_H_

#include <zlib.h>

#include <string>
#include <string_view>

#include "base/status.h"

namespace podsim::testing {

inline constexpr int kGzipBits = 16 + MAX_WBITS;  // zlib's ways to say so
inline constexpr int kZlibBits = MAX_WBITS;

// Level 0: stored as it is.
inline std::string Deflated(std::string_view bytes, int level, int bits) {
  z_stream stream{};
  PODSIM_CHECK(deflateInit2(&stream, level, Z_DEFLATED, bits, 8,
                            Z_DEFAULT_STRATEGY) == Z_OK);
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in =
      reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // only read
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  PODSIM_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

inline std::string Gzip(std::string_view bytes) {
  return Deflated(bytes, Z_BEST_SPEED, kGzipBits);
}

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_HOST_INPUT_GZIP_BYTES_H_
