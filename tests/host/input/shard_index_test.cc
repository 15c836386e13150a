// Where records lie: found once, kept, and trusted only for the same files.
#include "host/input/shard_index.h"

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "host/input/index_file.h"
#include "host/input/tfrecord.h"
#include "tests/host/input/shard_bytes.h"
#include "tests/host/storage/counting_store.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::CountingStore;
using ::podsim::testing::IsOk;
using ::podsim::testing::kDataLoss;
using ::podsim::testing::OpenNumbered;
using ::podsim::testing::StatusIs;
using ::podsim::testing::TempDir;
using ::podsim::testing::WriteShards;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

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
  // Written again, with as many bytes.
  WriteShards({41, 2}, /*packed=*/false, *memory);
  ASSERT_OK_AND_ASSIGN(const auto rewritten, open());
  EXPECT_GT(store.read, 0);
  EXPECT_EQ(third->config().fingerprint(), rewritten->config().fingerprint());
  // What is damaged is made again.
  const auto local = NewLocalStore();
  ASSERT_OK_AND_ASSIGN(const auto names, local->List(dir.file("cache/podsim")));
  ASSERT_EQ(names.size(), 3);
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
    writer.Append({.packing = Packing::kPacked,
                   .offsets = {7},
                   .end = 990,
                   .restarts = {.points = {{.crc = 5},
                                           {.offset = 900,
                                            .packed = 80,
                                            .bits = 3,
                                            .crc = 6,
                                            .window_end = 9}},
                                .windows = "wwwwwwwww",
                                .end = 999}});
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
  const PackedSpans& spans = read[1].spans;
  ASSERT_EQ(spans.points.size(), 2);
  EXPECT_EQ(spans.At(899), 0);
  EXPECT_EQ(spans.At(900), 1);
  const PackedSpan first = spans.Span(0, 100);
  EXPECT_EQ(first.end, 900);
  EXPECT_EQ(first.packed_end, 80);
  EXPECT_EQ(first.window, "");
  const PackedSpan last = spans.Span(1, 100);
  EXPECT_EQ(last.begin, 900);
  EXPECT_EQ(last.end, 999);
  EXPECT_EQ(last.packed, 80);
  EXPECT_EQ(last.packed_end, 100);
  EXPECT_EQ(last.bits, 3);
  EXPECT_EQ(last.crc, 6);
  EXPECT_EQ(last.window, "wwwwwwwww");
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

// As a process of the same number left it, in another container or long ago.
TEST(Index, ItsTemporaryFileIsNobodyElses) {
  const TempDir dir;
  const std::string path = dir.file("x.index");
  std::ofstream(dir.file("mine")) << "mine";
  for (int number = 0; number < 100; ++number)
    std::filesystem::create_symlink(
        dir.file("mine"),
        dir.file(absl::StrCat(".x.index", std::string(kTemporaryMark), getpid(),
                              "-", number)));
  IndexWriter writer(path, "key");
  writer.Append({.offsets = {0, 20, 50}, .end = 70});
  ASSERT_THAT(writer.Finish(), IsOk());
  EXPECT_EQ(*NewLocalStore()->Read(dir.file("mine")), "mine");
  ASSERT_OK_AND_ASSIGN(const std::string bytes, NewLocalStore()->Read(path));
  EXPECT_THAT(ParseIndex("key", bytes), IsOk());
}

TEST(Index, OfPointsThatNoFileHasIsRefused) {
  const RestartPoint front;
  const auto valid = [&](const std::vector<RestartPoint>& points) {
    return PackedSpans{.points = points, .windows = "1234", .end = 100}.valid();
  };
  EXPECT_TRUE(valid({}));
  EXPECT_TRUE(valid({front}));
  const RestartPoint good = {
      .offset = 40, .packed = 9, .bits = 7, .window_end = 4};
  EXPECT_TRUE(valid({front, good}));
  EXPECT_FALSE(valid({good}));
  EXPECT_FALSE(valid({front, front}));
  EXPECT_FALSE(valid({front, good, good}));
  const auto with = [&](auto change) {
    RestartPoint bad = good;
    change(bad);
    return valid({front, bad});
  };
  EXPECT_FALSE(with([](RestartPoint& at) { at.offset = 100; }));
  EXPECT_FALSE(with([](RestartPoint& at) { at.packed = 0; }));
  EXPECT_FALSE(with([](RestartPoint& at) { at.bits = 8; }));
  EXPECT_FALSE(with([](RestartPoint& at) { at.bits = -1; }));
  EXPECT_FALSE(with([](RestartPoint& at) { at.window_end = 5; }));
  EXPECT_FALSE(with([](RestartPoint& at) { at.window_end = -1; }));
  // Without a window a member begins, which a byte does.
  EXPECT_FALSE(with([](RestartPoint& at) { at.window_end = 0; }));
  EXPECT_TRUE(with([](RestartPoint& at) { at.window_end = at.bits = 0; }));
  EXPECT_FALSE(valid({{.window_end = 4}}));
  EXPECT_FALSE(valid({{.bits = 1, .window_end = 4}}));
  for (const std::int64_t end : {std::int64_t{-1}, kMostUnpackedBytes + 1})
    EXPECT_FALSE((PackedSpans{.points = {front}, .end = end}.valid()));
}

TEST(Index, OfFilesThatThereAreNotIsRefused) {
  const TempDir dir;
  const std::string path = dir.file("x.index");
  const std::vector<ShardRecords> shards = {
      {.packing = static_cast<Packing>(2), .end = 5},
      {.end = kMostUnpackedBytes + 1},
      {.packing = Packing::kPacked, .end = 5}};  // without points
  for (const ShardRecords& shard : shards) {
    {
      IndexWriter writer(path, "key");
      writer.Append(shard);
      ASSERT_THAT(writer.Finish(), IsOk());
    }
    ASSERT_OK_AND_ASSIGN(const std::string bytes, NewLocalStore()->Read(path));
    EXPECT_THAT(ParseIndex("key", bytes),
                StatusIs(kDataLoss, HasSubstr("damaged")));
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

}  // namespace
}  // namespace podsim
