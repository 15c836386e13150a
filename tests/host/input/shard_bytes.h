// TFRecord shards for tests: example n says that it is n.
#ifndef PODSIM_TESTS_HOST_INPUT_SHARD_BYTES_H_
#define PODSIM_TESTS_HOST_INPUT_SHARD_BYTES_H_

#include <zlib.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/input/dataset.h"
#include "host/input/tf_example.h"
#include "host/input/tfrecord.h"
#include "host/storage/storage.h"

namespace podsim::testing {

inline constexpr char kNumberedSchema[] =
    "features=pair:float32[2],labels=label:int64";

// Features {n, n / 2}, as NumberedDataset has them, and label n % 7.
inline std::string NumberedRecord(std::int64_t n) {
  const float pair[] = {static_cast<float>(n), static_cast<float>(n) / 2};
  const std::int64_t label = n % 7;
  ExampleWriter writer;
  writer.AddFloats("pair", pair);
  writer.AddInts("label", absl::MakeConstSpan(&label, 1));
  return FrameRecord(std::move(writer).Finish());
}

inline std::string Gzip(const std::string& bytes) {
  z_stream stream{};
  PODSIM_CHECK(deflateInit2(&stream, 1, Z_DEFLATED, 16 + MAX_WBITS, 8,
                            Z_DEFAULT_STRATEGY) == Z_OK);
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  PODSIM_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// Writes /data/train-* with so many examples each, numbered through.
inline void WriteShards(const std::vector<std::int64_t>& counts, bool packed,
                        ObjectStore& store) {
  std::int64_t n = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    std::string bytes;
    for (const std::int64_t end = n + counts[i]; n < end; ++n)
      bytes += NumberedRecord(n);
    PODSIM_CHECK(store
                     .Write(absl::StrCat("/data/train-", 1000 + i),
                            packed ? Gzip(bytes) : bytes)
                     .ok());
  }
}

inline absl::StatusOr<std::shared_ptr<const Dataset>> OpenNumbered(
    ObjectStore& store, std::int64_t window = 0,
    std::int64_t reader_bytes = 0) {
  return OpenDataset({.name = "tfrecord",
                      .data_dir = "/data",
                      .classes = 7,
                      .features = kNumberedSchema,
                      .shuffle_window = window,
                      .reader_bytes = reader_bytes},
                     store);
}

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_HOST_INPUT_SHARD_BYTES_H_
