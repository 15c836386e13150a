// TFRecord shards for tests: example n says that it is n.
#ifndef PODSIM_TESTS_HOST_INPUT_SHARD_BYTES_H_
#define PODSIM_TESTS_HOST_INPUT_SHARD_BYTES_H_

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
#include "tests/host/input/gzip_bytes.h"

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

// Which of so many shards example n is in: those of the first half have more,
// and the one in the middle has none, if there are more than one.
inline std::int64_t ShardOf(std::int64_t n, std::int64_t shards) {
  const std::int64_t turn = n % (2 * shards);
  const std::int64_t shard =
      turn < shards ? turn : (turn - shards) % ((shards + 1) / 2);
  return shards > 1 && shard == shards / 2 ? 0 : shard;
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
