// Data sets of shards: each example exactly once, whatever the slice, the
// packing and the memory; damage is refused with file, offset and reason.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "host/input/block_cache.h"
#include "host/input/byte_source.h"
#include "host/input/index_file.h"
#include "host/input/shard_files.h"
#include "host/input/shard_index.h"
#include "host/input/stream.h"
#include "host/input/tfrecord_format.h"
#include "host/storage/wrapper.h"
#include "interconnect/topology/slice.h"
#include "tests/host/input/read_example.h"
#include "tests/host/input/shard_bytes.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::Gzip;
using ::podsim::testing::IsOk;
using ::podsim::testing::kDataLoss;
using ::podsim::testing::NumberedRecord;
using ::podsim::testing::OpenNumbered;
using ::podsim::testing::StatusIs;
using ::podsim::testing::TempDir;
using ::podsim::testing::WriteShards;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint64_t kShardSeed = 42;

// So many examples in so many shards, one of which is empty if there are more
// than one.
std::vector<std::int64_t> CountsOf(std::int64_t shards, std::int64_t examples) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(shards), 0);
  for (std::int64_t i = 0; i < examples; ++i) {
    std::int64_t shard = i * i % shards;
    if (shards > 1 && shard == shards / 2) shard = 0;
    ++counts[static_cast<std::size_t>(shard)];
  }
  return counts;
}

struct Counted {
  std::int64_t shards;
  bool packed;
  bool windows;

  std::int64_t Window(std::int64_t window) const {
    return windows ? window : 0;
  }
};

class EveryShard : public ::testing::TestWithParam<Counted> {};

// Trains some steps on a slice: adds the labels' owners that its hosts read to
// `seen`, in the order of the stream.
void ReadSteps(const Dataset& dataset, const std::string& slice_name,
               std::int64_t steps, std::int64_t& consumed,
               std::vector<std::int64_t>& seen) {
  ASSERT_OK_AND_ASSIGN(const Slice slice, FindSlice(slice_name));
  constexpr std::int64_t kBatch = 2;
  const std::int64_t global = slice.replicas * kBatch;
  Batch batch;
  for (std::int64_t step = 0; step < steps; ++step) {
    for (int host = 0; host < slice.hosts; ++host) {
      ASSERT_THAT(FillTrainBatch(dataset, kShardSeed,
                                 {.consumed = consumed,
                                  .batch_per_core = kBatch,
                                  .first_core = std::int64_t{host} *
                                                slice.replicas_per_host(),
                                  .cores = slice.replicas_per_host(),
                                  .global_batch = global},
                                 batch),
                  IsOk());
      for (std::int64_t row = 0; row < batch.rows; ++row) {
        const auto n =
            static_cast<std::int64_t>(batch.Values<float>(0)[2 * row]);
        ASSERT_EQ(batch.Values<float>(0)[2 * row + 1],
                  static_cast<float>(n) / 2);
        ASSERT_EQ(batch.Values<std::int32_t>(1)[row], n % 7);
        seen.push_back(n);
      }
    }
    consumed += global;
  }
}

TEST_P(EveryShard, EachExampleComesExactlyOncePerEpochOnEverySlice) {
  const Counted& of = GetParam();
  constexpr std::int64_t kExamples = 1111;
  const auto store = NewMemoryStore();
  WriteShards(CountsOf(of.shards, kExamples), of.packed, *store);
  ASSERT_OK_AND_ASSIGN(const auto dataset,
                       OpenNumbered(*store, of.Window(100)));
  ASSERT_EQ(dataset->size(Split::kTrain), kExamples);
  ASSERT_EQ(dataset->shards() != nullptr, of.windows);
  ASSERT_EQ(dataset->config().packed(), of.packed);
  std::vector<std::int64_t> first;  // the stream of the first slice
  for (const char* slice : {"v3-8", "v3-32", "v3-128", "v3-512"}) {
    ASSERT_OK_AND_ASSIGN(const Slice named, FindSlice(slice));
    std::vector<std::int64_t> seen;
    std::int64_t consumed = 0;
    ReadSteps(*dataset, slice, kExamples / named.replicas + 1, consumed, seen);
    ASSERT_GE(seen.size(), 2 * kExamples);
    std::vector<int> count(kExamples, 0);
    for (std::int64_t k = 0; k < 2 * kExamples; ++k) {
      ++count[static_cast<std::size_t>(seen[static_cast<std::size_t>(k)])];
      if ((k + 1) % kExamples == 0)
        ASSERT_THAT(count, Each((k + 1) / kExamples)) << slice;
    }
    seen.resize(2 * kExamples);
    if (first.empty()) first = seen;
    EXPECT_EQ(seen, first) << slice;
  }
  EXPECT_FALSE(std::is_sorted(first.begin(), first.begin() + 50));
  EXPECT_NE(std::vector(first.begin(), first.begin() + kExamples),
            std::vector(first.begin() + kExamples, first.end()));
}

// A run that goes on with another slice, in the middle of an epoch, from a data
// set that is opened anew.
TEST_P(EveryShard, AResumeOnAnotherSliceReadsOn) {
  const Counted& of = GetParam();
  constexpr std::int64_t kExamples = 777;
  const auto store = NewMemoryStore();
  WriteShards(CountsOf(of.shards, kExamples), of.packed, *store);
  std::vector<std::int64_t> whole;
  std::vector<std::int64_t> parts;
  std::int64_t consumed = 0;
  ASSERT_OK_AND_ASSIGN(const auto dataset, OpenNumbered(*store, of.Window(64)));
  ReadSteps(*dataset, "v3-8", 100, consumed, whole);
  consumed = 0;
  for (const auto& [slice, steps] :
       {std::pair("v3-32", 3), {"v3-8", 7}, {"v3-512", 1}, {"v3-128", 1}}) {
    // Buffers that hold a window and little else.
    ASSERT_OK_AND_ASSIGN(const auto again,
                         OpenNumbered(*store, of.Window(64), 64 << 10));
    ReadSteps(*again, slice, steps, consumed, parts);
  }
  ASSERT_LE(parts.size(), whole.size());
  whole.resize(parts.size());
  EXPECT_EQ(parts, whole);
}

std::vector<Counted> EveryCount() {
  std::vector<Counted> counts;
  for (const std::int64_t shards : {1, 7, 64}) {
    counts.push_back({shards, /*packed=*/false, /*windows=*/false});
    counts.push_back({shards, /*packed=*/false, /*windows=*/true});
    counts.push_back({shards, /*packed=*/true, /*windows=*/true});
  }
  return counts;
}

INSTANTIATE_TEST_SUITE_P(Counts, EveryShard, ::testing::ValuesIn(EveryCount()),
                         [](const auto& info) {
                           return absl::StrCat(info.param.shards,
                                               info.param.packed    ? "_packed"
                                               : info.param.windows ? "_windows"
                                                                    : "_plain");
                         });

TEST(PackedShards, AnEpochGoesFromShardToShard) {
  const std::vector<std::int64_t> ends = {10, 10, 30, 60};
  const ShardEnds shards = {.ends = ends, .window = 5};
  const EpochOrder order(kShardSeed, 3, 60, &shards);
  std::vector<std::int64_t> all;
  std::vector<std::int64_t> begun;  // shards, as they come first
  for (std::int64_t place = 0; place < 60; ++place) {
    const std::int64_t index = order(place);
    all.push_back(index);
    const std::int64_t shard =
        std::upper_bound(ends.begin(), ends.end(), index) - ends.begin();
    if (std::find(begun.begin(), begun.end(), shard) == begun.end())
      begun.push_back(shard);
    // A window reaches over the end of a shard, but no further.
    EXPECT_TRUE(shard == begun.back() ||
                (begun.size() > 1 && shard == begun[begun.size() - 2]));
  }
  EXPECT_EQ(begun.size(), 3);
  std::sort(all.begin(), all.end());
  for (std::int64_t i = 0; i < 60; ++i) EXPECT_EQ(all[i], i);
  // Windows of other epochs are ordered otherwise.
  const EpochOrder later(kShardSeed, 4, 60, &shards);
  int same = 0;
  for (std::int64_t place = 0; place < 60; ++place)
    same += order(place) == later(place) ? 1 : 0;
  EXPECT_LT(same, 30);
}

TEST(PackedShards, AWindowMustFitIntoTheBuffers) {
  const auto store = NewMemoryStore();
  WriteShards({2000}, /*packed=*/true, *store);
  EXPECT_THAT(
      OpenNumbered(*store, 1000, 50'000),
      StatusIs(absl::StatusCode::kResourceExhausted,
               AllOf(HasSubstr("1,000 examples are in memory at a time"),
                     HasSubstr("lower --shuffle_window, or raise "
                               "--input_memory"))));
  EXPECT_THAT(OpenNumbered(*store, 100, 50'000), IsOk());
  WriteShards({2000}, /*packed=*/false, *store);
  EXPECT_THAT(OpenNumbered(*store, 1000, 50'000),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("the shuffle has a window, so that 1,000 "
                                 "examples are in memory at a time")));
  EXPECT_THAT(OpenNumbered(*store, 0, 50'000), IsOk());
}

// What packing does to bytes it does not do to the order.
TEST(PackedShards, PlainOnesWithThatWindowHaveTheSameOrder) {
  std::vector<std::int64_t> seen[2];
  for (const bool packed : {false, true}) {
    const auto store = NewMemoryStore();
    WriteShards(CountsOf(7, 500), packed, *store);
    ASSERT_OK_AND_ASSIGN(const auto dataset, OpenNumbered(*store, 60));
    std::int64_t consumed = 0;
    ReadSteps(*dataset, "v3-8", 40, consumed, seen[packed ? 1 : 0]);
  }
  EXPECT_EQ(seen[0], seen[1]);
}

class DamageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store_ = NewMemoryStore();
    WriteShards({5, 0, 7}, /*packed=*/false, *store_);
    for (std::int64_t n = 0; n < 7; ++n)
      offsets_.push_back(static_cast<std::int64_t>(whole_.size())),
          whole_ += NumberedRecord(5 + n);
  }
  static constexpr char kPath[] = "/data/train-1002";

  std::unique_ptr<ObjectStore> store_;
  std::string whole_;                  // of kPath
  std::vector<std::int64_t> offsets_;  // of its records
};

TEST_F(DamageTest, ATornTailIsRefusedAtItsRecord) {
  for (std::size_t size = 0; size < whole_.size(); ++size) {
    ASSERT_THAT(store_->Write(kPath, whole_.substr(0, size)), IsOk());
    const auto opened = OpenNumbered(*store_);
    const auto last = std::upper_bound(offsets_.begin(), offsets_.end(),
                                       static_cast<std::int64_t>(size)) -
                      1;
    if (*last == static_cast<std::int64_t>(size)) {
      ASSERT_THAT(opened, IsOk()) << size;  // so many whole records
    } else {
      ASSERT_THAT(opened, StatusIs(kDataLoss,
                                   AllOf(HasSubstr(absl::StrCat(
                                             kPath, ": offset ", *last, ": ")),
                                         HasSubstr("cut short"))))
          << size;
    }
  }
}

TEST_F(DamageTest, APackedTornTailToo) {
  const std::string packed = Gzip(whole_);
  for (std::size_t size = 20; size < packed.size(); size += 3) {
    ASSERT_THAT(store_->Write(kPath, packed.substr(0, size)), IsOk());
    ASSERT_THAT(OpenNumbered(*store_), StatusIs(kDataLoss, HasSubstr(kPath)))
        << size;
  }
  std::string flipped = packed;
  flipped[packed.size() / 2] ^= 0x10;
  ASSERT_THAT(store_->Write(kPath, flipped), IsOk());
  EXPECT_THAT(OpenNumbered(*store_), StatusIs(kDataLoss, HasSubstr(kPath)));
}

TEST_F(DamageTest, AFlippedByteOfARecordEndsTheBatch) {
  std::string bad = whole_;
  bad[static_cast<std::size_t>(offsets_[3]) + kRecordHeader + 4] ^= 1;
  ASSERT_THAT(store_->Write(kPath, bad), IsOk());
  // The index needs no more than headers.
  ASSERT_OK_AND_ASSIGN(const auto dataset, OpenNumbered(*store_));
  Infeed infeed(dataset, kShardSeed, {.batch_per_core = 12, .global_batch = 12},
                2, {.threads = 3});
  EXPECT_THAT(infeed.Next(),
              StatusIs(kDataLoss, absl::StrCat(kPath, ": offset ", offsets_[3],
                                               ": the checksum of a record's "
                                               "bytes is wrong")));
}

TEST_F(DamageTest, AFileThatChangedSinceItWasIndexed) {
  // Small buffers: a plain record is read for itself.
  ASSERT_OK_AND_ASSIGN(const auto dataset, OpenNumbered(*store_, 0, 200));
  ASSERT_THAT(store_->Write(kPath, whole_.substr(0, 10)), IsOk());
  Batch batch;
  EXPECT_THAT(FillTrainBatch(*dataset, kShardSeed,
                             {.batch_per_core = 12, .global_batch = 12}, batch),
              StatusIs(kDataLoss, AllOf(HasSubstr(kPath),
                                        HasSubstr("has been changed since"))));
}

TEST_F(DamageTest, ARecordLargerThanTheBuffersIsRefused) {
  EXPECT_THAT(OpenNumbered(*store_, 0, 20),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       AllOf(HasSubstr("/data/train-1000: offset 0: a record "
                                       "of"),
                             HasSubstr("raise --input_memory"))));
}

TEST_F(DamageTest, AWrongSchemaSaysWhichFeatureOfWhichRecord) {
  const auto read = [&](const char* features) {
    const auto dataset = OpenDataset(
        {.name = "tfrecord", .data_dir = "/data", .features = features},
        *store_);
    Batch batch;
    return dataset.ok() ? FillTrainBatch(**dataset, kShardSeed, {}, batch)
                        : dataset.status();
  };
  EXPECT_THAT(
      read("features=pair:float32[3]"),
      StatusIs(kDataLoss, HasSubstr("feature pair: it has 2 values, the "
                                    "schema wants 3")));
  EXPECT_THAT(read("features=pair:int64[2]"),
              StatusIs(kDataLoss, HasSubstr("it has floats, the schema wants "
                                            "integers")));
  EXPECT_THAT(
      read("features=piar:float32[2]"),
      StatusIs(kDataLoss, HasSubstr("feature piar: the record has none")));
  EXPECT_THAT(read(""), StatusIs(absl::StatusCode::kInvalidArgument,
                                 HasSubstr("needs --features")));
}

// Counts what is asked of a store.
class CountingStore final : public ObjectStoreWrapper {
 public:
  using ObjectStoreWrapper::ObjectStoreWrapper;
  absl::StatusOr<std::string> ReadRange(std::string_view path,
                                        std::int64_t offset,
                                        std::int64_t length) override {
    auto bytes = ObjectStoreWrapper::ReadRange(path, offset, length);
    if (bytes.ok()) read += static_cast<std::int64_t>(bytes->size());
    ++calls;
    return bytes;
  }
  std::atomic<std::int64_t> read{0};
  std::atomic<std::int64_t> calls{0};
};

// 16 records of 3 MiB: the index reads their headers and little else.
TEST(Index, OfLargePlainRecordsReadsHeadersAlone) {
  const auto memory = NewMemoryStore();
  std::string bytes;
  for (int i = 0; i < 16; ++i) bytes += FrameRecord(std::string(3 << 20, 'x'));
  ASSERT_THAT(memory->Write("/data/train-0", bytes), IsOk());
  CountingStore store(memory.get());
  ASSERT_OK_AND_ASSIGN(const auto dataset, OpenNumbered(store));
  EXPECT_EQ(dataset->size(Split::kTrain), 16);
  EXPECT_LT(store.read, (4 << 20) + 1024);
  EXPECT_LT(store.calls, 20);
}

TEST(Index, IsKeptAndTrustedOnlyForTheSameFiles) {
  const TempDir dir;
  const auto memory = NewMemoryStore();
  WriteShards({40, 2}, /*packed=*/false, *memory);
  CountingStore store(memory.get());
  const auto open = [&] {
    store.read = 0;
    return OpenDataset({.name = "tfrecord",
                        .data_dir = "/data",
                        .features = testing::kNumberedSchema,
                        .index_directory = dir.file("cache/podsim")},
                       store);
  };
  ASSERT_OK_AND_ASSIGN(const auto first, open());
  EXPECT_GT(store.read, 0);
  ASSERT_OK_AND_ASSIGN(const auto second, open());
  EXPECT_EQ(store.read, 0);
  EXPECT_EQ(first->config().fingerprint(), second->config().fingerprint());
  // Another size: another key.
  WriteShards({41, 2}, /*packed=*/false, *memory);
  ASSERT_OK_AND_ASSIGN(const auto third, open());
  EXPECT_GT(store.read, 0);
  EXPECT_NE(first->config().fingerprint(), third->config().fingerprint());
  // What is damaged is made again.
  const auto local = NewLocalStore();
  ASSERT_OK_AND_ASSIGN(const auto names, local->List(dir.file("cache/podsim")));
  ASSERT_EQ(names.size(), 2);
  for (const std::string& name : names) {
    const std::string path = dir.file("cache/podsim/" + name);
    ASSERT_OK_AND_ASSIGN(std::string bytes, local->Read(path));
    bytes[bytes.size() / 2] ^= 1;
    ASSERT_THAT(local->Write(path, bytes), IsOk());
  }
  ASSERT_OK_AND_ASSIGN(const auto fourth, open());
  EXPECT_GT(store.read, 0);
  EXPECT_EQ(third->config().fingerprint(), fourth->config().fingerprint());
}

TEST(Index, EveryCutAndFlipOfItsFileIsRefused) {
  const TempDir dir;
  const std::string path = dir.file("new/folder/x.index");
  {
    IndexWriter writer(path, "key");
    writer.Append({.offsets = {0, 20, 50}, .end = 70});
    writer.Append({.packing = Packing::kPacked});
    EXPECT_FALSE(NewLocalStore()->Size(path).ok()) << "it is not whole";
    ASSERT_THAT(writer.Finish(), IsOk());
  }
  ASSERT_OK_AND_ASSIGN(const auto names,
                       NewLocalStore()->List(dir.file("new/folder")));
  EXPECT_THAT(names, ElementsAre("x.index"));
  ASSERT_OK_AND_ASSIGN(const std::string bytes, NewLocalStore()->Read(path));
  ASSERT_OK_AND_ASSIGN(const auto read, ParseIndex("key", bytes));
  ASSERT_EQ(read.size(), 2);
  EXPECT_THAT(read[0].offsets, ElementsAre(0, 20, 50));
  EXPECT_EQ(read[0].end, 70);
  EXPECT_EQ(read[1].packing, Packing::kPacked);
  EXPECT_THAT(ParseIndex("yek", bytes),
              StatusIs(kDataLoss, HasSubstr("damaged")));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string flipped = bytes;
    flipped[i] = static_cast<char>(flipped[i] ^ 4);
    ASSERT_THAT(ParseIndex("key", flipped),
                StatusIs(kDataLoss, HasSubstr("damaged")))
        << i;
    ASSERT_THAT(ParseIndex("key", bytes.substr(0, i)),
                StatusIs(kDataLoss, HasSubstr("damaged")))
        << i;
  }
}

TEST(Index, OneThatCannotBeKeptIsInMemory) {
  const auto memory = NewMemoryStore();
  WriteShards({40, 2}, /*packed=*/false, *memory);
  CountingStore store(memory.get());
  const auto open = [&](const std::string& directory) {
    return OpenDataset({.name = "tfrecord",
                        .data_dir = "/data",
                        .features = testing::kNumberedSchema,
                        .index_directory = directory},
                       store);
  };
  ASSERT_OK_AND_ASSIGN(const auto nowhere, open(""));
  const std::int64_t once = store.read;
  ASSERT_OK_AND_ASSIGN(const auto refused, open("/dev/null/x"));
  EXPECT_EQ(store.read, 2 * once) << "it is scanned once";
  EXPECT_EQ(nowhere->config().fingerprint(), refused->config().fingerprint());
  EXPECT_EQ(refused->size(Split::kTrain), 42);
}

TEST(Index, WhereItIsTooLargeTheShuffleHasAWindow) {
  const auto store = NewMemoryStore();
  WriteShards({400, 200}, /*packed=*/false, *store);
  const auto window = [&](std::int64_t most, std::int64_t asked) {
    const auto dataset = OpenDataset({.name = "tfrecord",
                                      .data_dir = "/data",
                                      .features = testing::kNumberedSchema,
                                      .shuffle_window = asked,
                                      .most_shuffled = most},
                                     *store);
    return (*dataset)->config().shuffle_window();
  };
  EXPECT_EQ(window(0, 0), 0);
  EXPECT_EQ(window(600, 0), 0);
  EXPECT_EQ(window(599, 0), 4096);
  EXPECT_EQ(window(599, 50), 50);
}

TEST(SplitOf, FollowsItsRule) {
  const auto split = [](const std::vector<std::string>& names,
                        const char* pattern) {
    bool folders = false;
    const SplitNames of = SplitOf(names, pattern, &folders);
    return absl::StrCat(of.train.size(), " ", of.eval.size(),
                        folders ? " folders" : "");
  };
  EXPECT_EQ(split({"train-0", "train-1", "eval-0", "notes"}, ""), "2 1");
  EXPECT_EQ(split({"train-0", "validation-0", "test-0"}, ""), "1 1");
  EXPECT_EQ(split({"a", "b", ".hidden", "_done", "sub/"}, ""), "2 0");
  EXPECT_EQ(split({"train/", "val/", "readme"}, ""), "1 1 folders");
  EXPECT_EQ(
      split({"x-train-0", "x-train-1", "x-test-0", "train-9"}, "x-train-*"),
      "2 1");
  EXPECT_EQ(split({"part-0", "part-1"}, "part-*"), "2 0");
  EXPECT_EQ(split({"part-0"}, "train-*"), "0 0");
}

TEST(MatchesPattern, StarsAreAnyRun) {
  for (const auto& [pattern, name, matches] :
       std::vector<std::tuple<const char*, const char*, bool>>{
           {"*", "", true},
           {"*", "abc", true},
           {"a*c", "abbbc", true},
           {"a*c", "abcb", false},
           {"a*b*c", "aXbXbXc", true},
           {"a*b*c", "aXcXb", false},
           {"train-*", "train-", true},
           {"train-*", "rain-1", false},
           {"abc", "abc", true},
           {"abc", "abcd", false},
           {"**", "x", true}})
    EXPECT_EQ(MatchesPattern(pattern, name), matches) << pattern << " " << name;
}

TEST(FindShards, SaysWhatItFoundMissing) {
  const auto store = NewMemoryStore();
  WriteShards({1}, false, *store);
  EXPECT_THAT(FindShards("/data/eval-*", *store),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("none is called eval-*")));
  EXPECT_THAT(FindShards("/d*/train-*", *store),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("in the last part alone")));
  ASSERT_OK_AND_ASSIGN(const SplitFiles files,
                       FindShards("/data/train-*", *store));
  EXPECT_EQ(files.train.size(), 1);
  EXPECT_GT(files.train[0].bytes, 0);
  EXPECT_THAT(files.eval, IsEmpty());
}

TEST(BlockCache, ForgetsTheLongestUnused) {
  BlockCache cache(10);
  const auto block = [](std::size_t size) {
    return std::make_shared<const std::string>(size, 'x');
  };
  cache.Insert({.begin = 0}, block(4));
  cache.Insert({.begin = 1}, block(4));
  EXPECT_NE(cache.Find({.begin = 0}), nullptr);  // used: 1 is older now
  cache.Insert({.begin = 2}, block(4));
  EXPECT_EQ(cache.bytes(), 8);
  EXPECT_NE(cache.Find({.begin = 0}), nullptr);
  EXPECT_EQ(cache.Find({.begin = 1}), nullptr);
  cache.Insert({.begin = 3}, block(11));
  EXPECT_EQ(cache.Find({.begin = 3}), nullptr);
  EXPECT_EQ(cache.bytes(), 8);
}

TEST(ByteSource, PassesOverPackedBytes) {
  const auto store = NewMemoryStore();
  std::string whole;
  for (int i = 0; i < 400'000; ++i) absl::StrAppend(&whole, i, ",");
  // Two gzip members in a row are one file.
  const std::string packed =
      Gzip(whole.substr(0, 1000)) + Gzip(whole.substr(1000));
  ASSERT_THAT(store->Write("/f", packed), IsOk());
  EXPECT_EQ(PackingOf(packed), Packing::kPacked);
  const auto source = OpenSource(
      {.path = "/f", .bytes = static_cast<std::int64_t>(packed.size())},
      Packing::kPacked, *store);
  ASSERT_THAT(source->Skip(999), IsOk());
  ASSERT_OK_AND_ASSIGN(std::string_view some, source->Peek(5));
  EXPECT_EQ(some, whole.substr(999, 5));
  ASSERT_THAT(source->Skip(1'500'000), IsOk());
  ASSERT_OK_AND_ASSIGN(some, source->Peek(300'000));
  EXPECT_EQ(some, whole.substr(1'500'999, 300'000));
  ASSERT_THAT(source->Skip(std::int64_t{1} << 40), IsOk());
  EXPECT_EQ(source->offset(), static_cast<std::int64_t>(whole.size()));
  ASSERT_OK_AND_ASSIGN(some, source->Peek(1));
  EXPECT_THAT(some, IsEmpty());
}

// What other libraries wrote (tests/golden/data/make.py).
TEST(Golden, TfRecordsOfAnotherWriter) {
  const auto store = NewLocalStore();
  for (const char* folder : {"tfrecord", "tfrecord_gzip", "tfrecord_zlib"}) {
    SCOPED_TRACE(folder);
    ASSERT_OK_AND_ASSIGN(
        const auto dataset,
        OpenDataset({.name = "tfrecord",
                     .data_dir = absl::StrCat(PODSIM_GOLDEN_DATA, "/", folder),
                     .classes = 10,
                     .features = "features=image_raw:uint8[2,3]/2,labels=label:"
                                 "int64,weights=float32[3],ids=int64[2]"},
                    *store));
    ASSERT_EQ(dataset->size(Split::kTrain), 12);
    ASSERT_EQ(dataset->size(Split::kEval), 3);
    for (const auto& [split, first] :
         {std::pair(Split::kTrain, 0), {Split::kEval, 100}})
      for (std::int64_t i = 0; i < dataset->size(split); ++i) {
        const std::int64_t n = first + i;
        std::vector<float> image(6);
        std::int32_t label = -1;
        std::vector<float> weights(3);
        std::vector<std::int32_t> ids(2);
        const std::vector<std::span<std::byte>> rows = {
            std::as_writable_bytes(std::span(image)),
            std::as_writable_bytes(std::span(&label, 1)),
            std::as_writable_bytes(std::span(weights)),
            std::as_writable_bytes(std::span(ids))};
        ASSERT_THAT(dataset->Read(split, i, {}, rows), IsOk());
        for (int p = 0; p < 6; ++p)
          EXPECT_EQ(image[p], static_cast<float>((n + p) % 256) / 2);
        EXPECT_EQ(label, n % 10);
        EXPECT_THAT(weights, ElementsAre(static_cast<float>(n) + 0.5F,
                                         static_cast<float>(-n), 1e-3F));
        EXPECT_THAT(ids, ElementsAre(-n, 2147483647 - n));
      }
  }
}

}  // namespace
}  // namespace podsim
