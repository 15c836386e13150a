// Bytes packed by zlib, for tests.
#ifndef PODSIM_TESTS_HOST_INPUT_GZIP_BYTES_H_
#define PODSIM_TESTS_HOST_INPUT_GZIP_BYTES_H_

#include <zlib.h>

#include <string>
#include <string_view>

#include "base/status.h"

namespace podsim::testing {

inline std::string Gzip(std::string_view bytes) {
  z_stream stream{};
  PODSIM_CHECK(deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, 16 + MAX_WBITS,
                            8, Z_DEFAULT_STRATEGY) == Z_OK);
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

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_HOST_INPUT_GZIP_BYTES_H_
