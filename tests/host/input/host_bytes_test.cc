// Hosts read their part of the shards and little else, by counting the bytes.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
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
#include "tests/host/input/gzip_bytes.h"
#include "tests/host/input/shard_bytes.h"
#include "tests/host/storage/counting_store.h"
#include "tests/testing/run_count.h"
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

// The same in every store: made once.
const std::vector<std::string>& Records() {
  static const auto& records = *new std::vector<std::string>([] {
    std::mt19937 random(kBytesSeed);
    std::vector<std::string> made;
    for (std::int64_t n = 0; n < kExamples; ++n)
      made.push_back(RecordOf(random));
    return made;
  }());
  return records;
}

// Shards that differ in size, one of them empty if there are some.
std::unique_ptr<ObjectStore> NewStoreOf(std::int64_t shards, bool packed) {
  auto store = NewMemoryStore();
  std::vector<std::string> bytes(static_cast<std::size_t>(shards));
  for (std::int64_t n = 0; n < kExamples; ++n)
    bytes[static_cast<std::size_t>(testing::ShardOf(n, shards))] +=
        Records()[static_cast<std::size_t>(n)];
  for (std::size_t i = 0; i < bytes.size(); ++i)
    EXPECT_THAT(store->Write(absl::StrCat("/data/train-", 1000 + i),
                             packed ? Gzip(bytes[i]) : bytes[i]),
                IsOk());
  return store;
}

// Made once.
ObjectStore& StoreOf(std::int64_t shards, bool packed) {
  static auto& stores = *new std::map<std::pair<std::int64_t, bool>,
                                      std::unique_ptr<ObjectStore>>;
  auto& store = stores[{shards, packed}];
  if (store == nullptr) store = NewStoreOf(shards, packed);
  return *store;
}

struct Job {
  std::string slice;
  std::int64_t shards;
  bool packed;
  // Read ahead; and windows are larger, on one host so that each lane's part
  // takes more than a span.
  bool ahead = false;
  bool in_order = false;

  std::int64_t Window() const {
    return !ahead ? 1024 : slice == "v3-8" ? 8192 : 2048;
  }
};

// One host has all lanes, and what is open of packed shards takes some.
std::int64_t MemoryOf(const Job& job, const Slice& slice) {
  if (!job.packed) return slice.hosts == 1 ? 12 << 20 : 3 << 20;
  if (slice.hosts == 1) return job.ahead ? 30 << 20 : 28 << 20;
  return slice.hosts == 4 ? 9 << 20 : 5 << 20;
}

class HostBytes : public ::testing::TestWithParam<Job> {};

std::shared_ptr<const Dataset> OpenPart(const Job& job, const Slice& slice,
                                        const std::string& index,
                                        ObjectStore& store) {
  auto dataset =
      OpenDataset({.name = "tfrecord",
                   .data_dir = "/data",
                   .features = "features=blob:uint8[1000],labels=label:int64",
                   .shuffle_window = job.Window(),
                   .reader_bytes = MemoryOf(job, slice),
                   .index_directory = index,
                   .hosts_here = 1,
                   .hosts = slice.hosts,
                   .in_order = job.in_order},
                  store);
  EXPECT_THAT(dataset, IsOk());
  return dataset.ok() ? *dataset : nullptr;
}

// A host's rows of an epoch.
void ReadEpoch(const Job& job, const std::shared_ptr<const Dataset>& dataset,
               BatchPlace place) {
  const std::int64_t steps = kExamples / place.global_batch;
  if (job.ahead) {
    Infeed infeed(dataset, kBytesSeed, place, steps, {.threads = 2});
    for (std::int64_t step = 0; step < steps; ++step)
      EXPECT_THAT(infeed.Next(), IsOk());
    return;
  }
  Batch batch;
  for (std::int64_t step = 0; step < steps; ++step) {
    EXPECT_THAT(FillTrainBatch(*dataset, kBytesSeed, place, batch), IsOk());
    place.consumed += place.global_batch;
  }
}

// Bytes that each host reads of an epoch, each a process of its own.
std::vector<std::int64_t> BytesOfHosts(const Job& job, const Slice& slice,
                                       ObjectStore& files,
                                       DatasetConfig& config) {
  const std::int64_t cores = slice.replicas_per_host();
  const TempDir dir;
  std::vector<std::int64_t> read;
  for (int host = 0; host < slice.hosts; ++host) {
    CountingStore store(&files);
    const auto dataset = OpenPart(job, slice, dir.file("index"), store);
    if (dataset == nullptr) break;
    config = dataset->config();
    store.read = 0;
    ReadEpoch(job, dataset,
              {.batch_per_core = kBatch,
               .first_core = host * cores,
               .cores = cores,
               .global_batch = slice.replicas * kBatch,
               .in_order = job.in_order});
    read.push_back(store.read);
  }
  return read;
}

// As the plan has it: half a span before what a host reads, and behind it as
// much, or what is read at a time.
double PlannedTimes(const Job& job, const Slice& slice,
                    const DatasetConfig& config) {
  const std::int64_t lanes = LanesHere(config.lanes(), 1, slice.hosts);
  const auto stored = static_cast<double>(config.stored_bytes());
  const double run = job.in_order
                         ? stored / kExamples * kBatch *
                               static_cast<double>(slice.replicas_per_host())
                         : stored / config.lanes();
  const ReaderParts parts =
      PartsOfPacked(TrainReaderBytes(MemoryOf(job, slice)), lanes, /*spans=*/1);
  const double times = TimesOfRun(run, static_cast<double>(config.span_bytes()),
                                  static_cast<double>(parts.stream_bytes));
  return job.in_order ? std::min(static_cast<double>(slice.hosts), times)
                      : times;
}

TEST_P(HostBytes, AreThoseOfItsPart) {
  const Job& job = GetParam();
  ASSERT_OK_AND_ASSIGN(const Slice slice, FindSlice(job.slice));
  ObjectStore& files = StoreOf(job.shards, job.packed);
  DatasetConfig config;
  const auto read = BytesOfHosts(job, slice, files, config);
  ASSERT_EQ(read.size(), static_cast<std::size_t>(slice.hosts));
  ASSERT_EQ(config.lanes(), 64);
  const auto stored = static_cast<double>(config.stored_bytes());
  const double planned = PlannedTimes(job, slice, config);
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

// However many threads read ahead of it.
TEST(Evaluation, OfPackedShardsReadsThemOnce) {
  const auto files = NewStoreOf(/*shards=*/7, /*packed=*/true);
  ASSERT_OK_AND_ASSIGN(const auto names, files->List("/data"));
  for (const std::string& name : names)
    ASSERT_THAT(
        files->Write(absl::StrCat("/data/", absl::StrReplaceAll(
                                                name, {{"train", "eval"}})),
                     *files->Read(absl::StrCat("/data/", name))),
        IsOk());
  ASSERT_OK_AND_ASSIGN(const Slice slice, FindSlice("v3-8"));
  CountingStore store(files.get());
  const TempDir dir;
  const auto dataset = OpenPart({.slice = "v3-8", .shards = 7, .packed = true},
                                slice, dir.file("index"), store);
  ASSERT_NE(dataset, nullptr);
  store.read = 0;
  // A batch is larger than what fits.
  const BatchPlace place = {
      .batch_per_core = 1024, .cores = 8, .global_batch = 8192};
  const ReadOrder order = EvalRowsInOrder(*dataset, place);
  const auto ahead = dataset->Ahead(Split::kEval, order);
  ASSERT_NE(ahead, nullptr);
  Batch batch;
  for (BatchPlace at = place; at.consumed < order.count;
       at.consumed += place.global_batch)
    ASSERT_THAT(FillEvalBatch(*dataset, at, batch, /*parallel=*/nullptr,
                              [&](std::int64_t rows) {
                                ahead->Passed(at.consumed + rows);
                              }),
                IsOk());
  const auto stored = static_cast<double>(dataset->config().stored_bytes());
  EXPECT_GE(static_cast<double>(store.read) / stored, 0.99);
  EXPECT_LE(static_cast<double>(store.read) / stored, 1.05);
  RecordProperty("times",
                 absl::StrCat(static_cast<double>(store.read) / stored));
}

std::vector<Job> Jobs() {
  std::vector<Job> jobs;
  for (const std::string slice : {"v3-8", "v3-32", "v3-512"})
    for (const std::int64_t shards : {1, 7, 64})
      for (const bool packed : {false, true})
        if (!testing::kSanitized || shards == 7 || slice == "v3-32")
          jobs.push_back({slice, shards, packed});
  for (const bool in_order : {false, true}) {
    jobs.push_back({"v3-8", 7, /*packed=*/true, /*ahead=*/true, in_order});
    jobs.push_back({"v3-32", 1, /*packed=*/true, /*ahead=*/true, in_order});
  }
  return jobs;
}

INSTANTIATE_TEST_SUITE_P(Jobs, HostBytes, ::testing::ValuesIn(Jobs()),
                         [](const auto& info) {
                           const Job& job = info.param;
                           return absl::StrCat(
                               absl::StrReplaceAll(job.slice, {{"-", "_"}}),
                               "_", job.shards,
                               job.packed ? "_packed" : "_plain",
                               job.ahead ? "_ahead" : "",
                               job.in_order ? "_in_order" : "");
                         });

}  // namespace
}  // namespace podsim
