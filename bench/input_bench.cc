// What a thread reads of TFRecords in a second: both checksums, the parsing of
// tf.train.Example and the values' way into a row, of records in memory.
//
//   build/release/bin/input_bench
//
// Arguments: bytes of an image. Beside them the checksum alone, which bounds
// it.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "bench/bench_main.h"
#include "host/input/schema.h"
#include "host/input/tf_example.h"
#include "host/input/tfrecord.h"
#include "host/input/tfrecord_format.h"
#include "host/input/write_field.h"

namespace podsim {
namespace {

constexpr std::int64_t kRecords = 64;

// Record n: an image of bytes n + i, and the label n.
std::vector<std::string> MakeRecords(std::int64_t bytes) {
  std::vector<std::string> records;
  for (std::int64_t n = 0; n < kRecords; ++n) {
    std::string image(static_cast<std::size_t>(bytes), '\0');
    for (std::size_t i = 0; i < image.size(); ++i)
      image[i] = static_cast<char>(n + static_cast<std::int64_t>(i));
    ExampleWriter writer;
    writer.AddBytes("image", image);
    writer.AddInts("label", absl::MakeConstSpan(&n, 1));
    records.push_back(FrameRecord(std::move(writer).Finish()));
  }
  return records;
}

void ReadRecords(benchmark::State& state) {
  const std::int64_t bytes = state.range(0);
  const std::vector<std::string> records = MakeRecords(bytes);
  const auto schema = ParseSchema(
      absl::StrCat("features=image:uint8[", bytes, "],labels=label:int64"));
  PODSIM_CHECK(schema.ok());
  const auto format = NewTfRecordFormat(*schema);
  std::vector<RawFeature> features(2);
  std::string scratch;
  std::vector<std::byte> image(static_cast<std::size_t>(bytes));
  std::int32_t label = -1;
  std::int64_t n = 0;
  const auto read = [&](const std::string& record) {
    PODSIM_CHECK(
        format->Parse(record, 0, "bench", scratch, absl::MakeSpan(features))
            .ok());
    PODSIM_CHECK(WriteField(schema->fields[0], features[0], {}, image).ok());
    PODSIM_CHECK(WriteField(schema->fields[1], features[1], {},
                            std::as_writable_bytes(std::span(&label, 1)))
                     .ok());
  };
  for (auto _ : state) {
    read(records[static_cast<std::size_t>(n)]);
    if (label != n || image[0] != static_cast<std::byte>(n) ||
        image.back() != static_cast<std::byte>(n + bytes - 1)) {
      state.SkipWithError("an example is wrong");
      return;
    }
    n = (n + 1) % kRecords;
  }
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(state.iterations() *
                          static_cast<std::int64_t>(records[0].size()));
}
BENCHMARK(ReadRecords)->Arg(784)->Arg(3072)->Arg(110'000);

void ChecksumAlone(benchmark::State& state) {
  const std::vector<std::string> records = MakeRecords(state.range(0));
  for (auto _ : state)
    for (const std::string& record : records)
      benchmark::DoNotOptimize(MaskedCrc(record));
  state.SetItemsProcessed(state.iterations() * kRecords);
  state.SetBytesProcessed(state.iterations() * kRecords *
                          static_cast<std::int64_t>(records[0].size()));
}
BENCHMARK(ChecksumAlone)->Arg(784)->Arg(3072)->Arg(110'000);

}  // namespace
}  // namespace podsim

int main(int argc, char** argv) { return podsim::BenchMain(argc, argv); }
