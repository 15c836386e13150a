// Hosts read their part of the shards and little else, by counting the bytes.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "host/input/dataset.h"
#include "host/input/input_memory.h"
#include "host/input/shared_lanes.h"
#include "host/input/stream.h"
#include "host/input/tf_example.h"
#include "host/input/tfrecord.h"
#include "interconnect/topology/slice.h"
#include "tests/host/input/counting_store.h"
#include "tests/host/input/gzip_bytes.h"
#include "tests/host/input/shard_bytes.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::CountingStore;
using ::podsim::testing::Gzip;
using ::podsim::testing::IsOk;
using ::podsim::testing::TempDir;

constexpr std::uint64_t kBytesSeed = 5;
// Of which each lane has as many.
constexpr std::int64_t kExamples = 32'768;
constexpr std::int64_t kBlobBytes = 1000;
constexpr std::int64_t kBatch = 2;

// One host has all lanes.
std::int64_t MemoryOf(const Slice& slice) {
  return slice.hosts == 1 ? 12 << 20 : 3 << 20;
}

// Which packs to about two thirds.
std::string RecordOf(std::mt19937& random) {
  std::string blob;
  for (std::int64_t i = 0; i < kBlobBytes; ++i)
    blob += static_cast<char>(random() % 40);
  const std::int64_t label = 0;
  ExampleWriter writer;
  writer.AddBytes("blob", blob);
  writer.AddInts("label", absl::MakeConstSpan(&label, 1));
  return FrameRecord(std::move(writer).Finish());
}

// Shards that differ in size, one of them empty if there are some.
std::unique_ptr<ObjectStore> StoreOf(std::int64_t shards, bool packed) {
  auto store = NewMemoryStore();
  std::mt19937 random(kBytesSeed);
  std::vector<std::string> bytes(static_cast<std::size_t>(shards));
  for (std::int64_t n = 0; n < kExamples; ++n)
    bytes[static_cast<std::size_t>(testing::ShardOf(n, shards))] +=
        RecordOf(random);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    EXPECT_THAT(store->Write(absl::StrCat("/data/train-", 1000 + i),
                             packed ? Gzip(bytes[i]) : bytes[i]),
                IsOk());
  return store;
}

struct Job {
  std::string slice;
  std::int64_t shards;
  bool packed;
  bool in_order = false;
};

class HostBytes : public ::testing::TestWithParam<Job> {};

// Bytes that each host reads of an epoch, each a process of its own.
std::vector<std::int64_t> BytesOfHosts(const Job& job, const Slice& slice,
                                       ObjectStore& files,
                                       DatasetConfig& config) {
  const std::int64_t cores = slice.replicas_per_host();
  const std::int64_t global = slice.replicas * kBatch;
  const TempDir dir;
  std::vector<std::int64_t> read;
  for (int host = 0; host < slice.hosts; ++host) {
    CountingStore store(&files);
    const auto dataset =
        OpenDataset({.name = "tfrecord",
                     .data_dir = "/data",
                     .features = "features=blob:uint8[1000],labels=label:int64",
                     .shuffle_window = 1024,
                     .reader_bytes = MemoryOf(slice),
                     .index_directory = dir.file("index"),
                     .hosts_here = 1,
                     .hosts = slice.hosts},
                    store);
    EXPECT_THAT(dataset, IsOk());
    if (!dataset.ok()) break;
    config = (*dataset)->config();
    store.read = 0;
    Batch batch;
    for (std::int64_t step = 0; (step + 1) * global <= kExamples; ++step)
      EXPECT_THAT(FillTrainBatch(**dataset, kBytesSeed,
                                 {.consumed = step * global,
                                  .batch_per_core = kBatch,
                                  .first_core = host * cores,
                                  .cores = cores,
                                  .global_batch = global,
                                  .in_order = job.in_order},
                                 batch),
                  IsOk());
    read.push_back(store.read);
  }
  return read;
}

TEST_P(HostBytes, AreThoseOfItsPart) {
  const Job& job = GetParam();
  ASSERT_OK_AND_ASSIGN(const Slice slice, FindSlice(job.slice));
  const auto files = StoreOf(job.shards, job.packed);
  DatasetConfig config;
  const auto read = BytesOfHosts(job, slice, *files, config);
  ASSERT_EQ(read.size(), static_cast<std::size_t>(slice.hosts));
  ASSERT_EQ(config.lanes(), 64);
  const auto stored = static_cast<double>(config.stored_bytes());
  // As the plan has it: half a span before a lane, and behind it as much, or
  // what is read at a time.
  const std::int64_t lanes = LanesHere(64, 1, slice.hosts);
  const double planned =
      TimesOfRun(stored / 64, static_cast<double>(config.span_bytes()),
                 static_cast<double>(LaneStreamBytes(
                     TrainReaderBytes(MemoryOf(slice)), lanes)));
  std::int64_t all = 0;
  for (const std::int64_t bytes : read) {
    all += bytes;
    EXPECT_LE(static_cast<double>(bytes) / (stored / slice.hosts),
              1.2 + 2 * (planned - 1));
  }
  const double times = static_cast<double>(all) / stored;
  RecordProperty("times", absl::StrCat(times));
  EXPECT_GE(times, 0.9);
  EXPECT_LE(times, planned + 0.1);
}

std::vector<Job> Jobs() {
  std::vector<Job> jobs;
  for (const char* slice : {"v3-8", "v3-32", "v3-512"})
    for (const std::int64_t shards : {1, 7, 64})
      for (const bool packed : {false, true})
        jobs.push_back({slice, shards, packed});
  return jobs;
}

INSTANTIATE_TEST_SUITE_P(Jobs, HostBytes, ::testing::ValuesIn(Jobs()),
                         [](const auto& info) {
                           const Job& job = info.param;
                           return absl::StrCat(
                               absl::StrReplaceAll(job.slice, {{"-", "_"}}),
                               "_", job.shards,
                               job.packed ? "_packed" : "_plain");
                         });

}  // namespace
}  // namespace podsim
