// Reading ahead of who needs it: as much at a time as was meant, each piece
// once, no more in memory than there is room for, the same examples.
#include "host/input/read_ahead.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "host/input/block_cache.h"
#include "host/input/stream.h"
#include "host/input/tf_example.h"
#include "host/input/tfrecord.h"
#include "host/storage/gcs/reading.h"
#include "host/storage/wrapper.h"
#include "tests/host/input/gzip_bytes.h"
#include "tests/host/input/shard_bytes.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::Gzip;
using ::podsim::testing::IsOk;
using ::podsim::testing::OpenNumbered;
using ::podsim::testing::StatusIs;
using ::podsim::testing::WriteShards;
using ::testing::HasSubstr;

constexpr std::uint64_t kAheadSeed = 7;
constexpr std::chrono::seconds kPatience{20};

BlockCache::Block BlockOf(std::int64_t size) {
  return std::make_shared<const std::string>(static_cast<std::size_t>(size),
                                             'x');
}

Piece PieceAt(std::int64_t begin, std::int64_t length = 4) {
  return {.file = 0, .begin = begin, .length = length};
}

// Threads that have come here, and what waits for so many of them.
class Meeting {
 public:
  void Come() {
    MutexLock lock(mutex_);
    ++came_;
    changed_.NotifyAll();
  }
  // False: they did not come.
  bool WaitFor(std::int64_t count) {
    MutexLock lock(mutex_);
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (came_ < count && std::chrono::steady_clock::now() < until)
      changed_.WaitFor(mutex_, std::chrono::seconds(1));
    return came_ >= count;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  std::int64_t came_ PODSIM_GUARDED_BY(mutex_) = 0;
};

TEST(BlockCache, APieceIsMadeOnceHoweverManyWantIt) {
  BlockCache cache(100);
  Meeting asking;
  std::atomic<int> made{0};
  {
    std::vector<std::jthread> threads;
    threads.reserve(8);
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&] {
        asking.Come();
        const auto block = cache.Get(PieceAt(0), [&] {
          ++made;
          EXPECT_TRUE(asking.WaitFor(8));
          return absl::StatusOr<BlockCache::Block>(BlockOf(4));
        });
        ASSERT_THAT(block, IsOk());
        EXPECT_EQ((*block)->size(), 4);
      });
  }
  EXPECT_EQ(made, 1);
}

TEST(BlockCache, AFailureIsOfWhoMadeItAlone) {
  BlockCache cache(100);
  Meeting asking;
  std::atomic<int> tries{0};
  std::atomic<int> failed{0};
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        asking.Come();
        const auto block =
            cache.Get(PieceAt(0), [&]() -> absl::StatusOr<BlockCache::Block> {
              EXPECT_TRUE(asking.WaitFor(4));
              if (++tries == 1) return absl::UnavailableError("once");
              return BlockOf(4);
            });
        if (!block.ok()) ++failed;
      });
  }
  EXPECT_EQ(tries, 2);
  EXPECT_EQ(failed, 1);
}

TEST(BlockCache, WhatIsHeldIsNotForgotten) {
  BlockCache cache(10);
  cache.Hold(PieceAt(0));
  cache.Hold(PieceAt(0));
  cache.Insert(PieceAt(0), BlockOf(4));
  cache.Insert(PieceAt(4), BlockOf(4));
  cache.Insert(PieceAt(8), BlockOf(4));  // instead of the newer one
  EXPECT_NE(cache.Find(PieceAt(0)), nullptr);
  EXPECT_EQ(cache.Find(PieceAt(4)), nullptr);
  EXPECT_NE(cache.Find(PieceAt(8)), nullptr);
  cache.Hold(PieceAt(8));
  cache.Insert(PieceAt(12), BlockOf(4));  // there is no room
  EXPECT_EQ(cache.Find(PieceAt(12)), nullptr);
  EXPECT_EQ(cache.bytes(), 8);
  cache.Release(PieceAt(0));
  cache.Insert(PieceAt(12), BlockOf(4));  // it is held once more
  EXPECT_EQ(cache.Find(PieceAt(12)), nullptr);
  cache.Release(PieceAt(0));
  cache.Insert(PieceAt(12), BlockOf(4));
  EXPECT_EQ(cache.Find(PieceAt(0)), nullptr);
  EXPECT_NE(cache.Find(PieceAt(12)), nullptr);
}

// 100 pieces of 4 bytes, three examples to each.
class ReadAheadTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t kExamples = 300;

  PieceSource Source() {
    return {.examples = kExamples,
            .pieces =
                [](std::int64_t i, std::vector<Piece>& pieces) {
                  pieces.push_back(PieceAt(i / 3 * 4));
                },
            .fetch =
                [this](const Piece& piece) {
                  ASSERT_THAT(cache_.Get(piece, [&] { return Make(piece); }),
                              IsOk());
                  fetched_.Come();
                },
            .cache = &cache_};
  }
  absl::StatusOr<BlockCache::Block> Make(const Piece& piece) {
    MutexLock lock(mutex_);
    ++made_[piece];
    return BlockOf(piece.length);
  }

  BlockCache cache_{40};
  Meeting fetched_;
  Mutex mutex_;
  std::map<Piece, int> made_ PODSIM_GUARDED_BY(mutex_);
};

TEST_F(ReadAheadTest, FillsTheRoomThereIsAndNoMore) {
  PieceReadAhead ahead(Source(), 3);
  ASSERT_TRUE(fetched_.WaitFor(10));
  for (std::int64_t i = 0; i < kExamples; ++i) {
    // So far ahead as fits, and every piece is there when it is needed.
    const std::int64_t fetched = std::min<std::int64_t>(i / 3 + 10, 100);
    ASSERT_TRUE(fetched_.WaitFor(fetched)) << i;
    ASSERT_NE(cache_.Find(PieceAt(i / 3 * 4)), nullptr) << i;
    ASSERT_LE(cache_.bytes(), cache_.capacity());
    MutexLock lock(mutex_);
    ASSERT_EQ(static_cast<std::int64_t>(made_.size()), fetched) << i;
    ahead.Passed(i + 1);
  }
  MutexLock lock(mutex_);
  EXPECT_EQ(made_.size(), 100);
  for (const auto& [piece, times] : made_) EXPECT_EQ(times, 1) << piece.begin;
}

TEST_F(ReadAheadTest, EndsWhereNobodyReads) {
  {
    PieceReadAhead ahead(Source(), 5);
    ASSERT_TRUE(fetched_.WaitFor(10));
  }
  // Nothing is held any more.
  for (std::int64_t i = 0; i < 10; ++i)
    cache_.Insert(PieceAt(1000 + i * 4), BlockOf(4));
  EXPECT_EQ(cache_.Find(PieceAt(0)), nullptr);
  EXPECT_NE(cache_.Find(PieceAt(1000)), nullptr);
}

TEST_F(ReadAheadTest, AReaderThatIsFasterIsNotHeldUp) {
  PieceReadAhead ahead(Source(), 2);
  ahead.Passed(kExamples - 3);
  ASSERT_TRUE(fetched_.WaitFor(1));
  ahead.Passed(kExamples);
}

TEST_F(ReadAheadTest, WhatNeverFitsIsLeftToItsReader) {
  PieceSource source = Source();
  source.pieces = [](std::int64_t i, std::vector<Piece>& pieces) {
    pieces.push_back(PieceAt(i * 100, i == 0 ? 41 : 4));
  };
  PieceReadAhead ahead(std::move(source), 2);
  ahead.Passed(1);
  ASSERT_TRUE(fetched_.WaitFor(10));
  EXPECT_EQ(cache_.Find(PieceAt(0, 41)), nullptr);
  EXPECT_NE(cache_.Find(PieceAt(100)), nullptr);
}

// A store whose reads wait for one another, once it is told to.
class MeetingStore final : public ObjectStoreWrapper {
 public:
  using ObjectStoreWrapper::ObjectStoreWrapper;
  absl::StatusOr<std::string> ReadRange(std::string_view path,
                                        std::int64_t offset,
                                        std::int64_t length) override {
    if (together > 0) {
      reading_.Come();
      if (!reading_.WaitFor(together)) {
        ++missed;
        return absl::DeadlineExceededError("reads came one after the other");
      }
    }
    ++calls;
    return ObjectStoreWrapper::ReadRange(path, offset, length);
  }
  std::atomic<int> together{0};
  std::atomic<int> missed{0};
  std::atomic<int> calls{0};

 private:
  Meeting reading_;
};

constexpr BatchPlace kFirstBatch = {
    .batch_per_core = 4, .first_core = 8, .cores = 8, .global_batch = 64};

// All 16 at once, though one thread makes the batches.
TEST(ReadsAhead, AreInFlightTogether) {
  const auto memory = NewMemoryStore();
  WriteShards({8000}, /*packed=*/false, *memory);
  for (const std::int64_t window : {0, 1000}) {
    MeetingStore store(memory.get());
    // Records alone, or blocks of 16 KiB, of which 16 fit beside each other.
    ASSERT_OK_AND_ASSIGN(
        const auto dataset,
        OpenNumbered(store, window, window == 0 ? 20'000 : 410'000));
    store.together = kGcsReadsInFlight;
    Infeed infeed(dataset, kAheadSeed, kFirstBatch, 100, {.threads = 1});
    for (int step = 0; step < 100; ++step)
      ASSERT_THAT(infeed.Next(), IsOk()) << window;
    EXPECT_EQ(store.missed, 0);
  }
}

// 5 MiB that hardly pack.
std::string NoiseShard() {
  std::mt19937 random(kAheadSeed);
  std::string bytes;
  for (std::int64_t n = 0; n < 6000; ++n) {
    const float pair[] = {0, 0};
    const std::int64_t label = 0;
    std::string noise(800, '\0');
    for (char& each : noise) each = static_cast<char>(random() % 200);
    ExampleWriter writer;
    writer.AddFloats("pair", pair);
    writer.AddInts("label", absl::MakeConstSpan(&label, 1));
    writer.AddBytes("noise", noise);
    bytes += FrameRecord(std::move(writer).Finish());
  }
  return Gzip(bytes);
}

// Of packed shards one of each lane's span.
TEST(ReadsAhead, OfPackedShardsAreInFlightTogether) {
  const auto memory = NewMemoryStore();
  ASSERT_THAT(memory->Write("/data/train-0", NoiseShard()), IsOk());
  MeetingStore store(memory.get());
  ASSERT_OK_AND_ASSIGN(const auto dataset, OpenNumbered(store, 1000, 6 << 20));
  ASSERT_GE(dataset->config().lanes(), 8);
  store.together = 8;
  Infeed infeed(dataset, kAheadSeed,
                {.batch_per_core = 4, .cores = 16, .global_batch = 64}, 20,
                {.threads = 1});
  for (int step = 0; step < 20; ++step)
    ASSERT_THAT(infeed.Next(), IsOk()) << step;
  EXPECT_EQ(store.missed, 0);
}

// In order one of each span that what fits is in, though a span has some
// blocks.
TEST(ReadsAhead, OfPackedShardsInOrderAreInFlightTogether) {
  const auto memory = NewMemoryStore();
  const std::string shard = NoiseShard();
  ASSERT_THAT(memory->Write("/data/train-0", shard), IsOk());
  ASSERT_THAT(memory->Write("/data/eval-0", shard), IsOk());
  MeetingStore store(memory.get());
  ASSERT_OK_AND_ASSIGN(const auto dataset, OpenNumbered(store, 1000, 32 << 20));
  store.together = 8;
  BatchPlace place = {.batch_per_core = 4, .cores = 16, .global_batch = 64};
  const auto ahead =
      dataset->Ahead(Split::kEval, EvalRowsInOrder(*dataset, place));
  Batch batch;
  for (; place.consumed < 1280; place.consumed += place.global_batch) {
    ASSERT_THAT(FillEvalBatch(*dataset, place, batch), IsOk());
    ahead->Passed(place.consumed + place.global_batch);
  }
  EXPECT_EQ(store.missed, 0);
}

class ReadsAheadOf : public ::testing::TestWithParam<bool> {};

TEST_P(ReadsAheadOf, ShardsChangeNothingAboutBatches) {
  const auto store = NewMemoryStore();
  WriteShards({300, 0, 200, 100}, /*packed=*/GetParam(), *store);
  for (const std::int64_t window : {GetParam() ? 30 : 0, 40})
    for (const std::int64_t bytes :
         {GetParam() ? 480'000 : 6'000, GetParam() ? 500'000 : 20'000, 1 << 20})
      for (const bool in_order : {false, true}) {
        ASSERT_OK_AND_ASSIGN(const auto dataset,
                             OpenNumbered(*store, window, bytes));
        BatchPlace place = kFirstBatch;
        place.in_order = in_order;
        Infeed infeed(dataset, kAheadSeed, place, 30,
                      {.threads = 3, .batches = 4});
        Batch want;
        for (int step = 0; step < 30; ++step) {
          ASSERT_OK_AND_ASSIGN(const Batch* got, infeed.Next());
          ASSERT_THAT(FillTrainBatch(*dataset, kAheadSeed, place, want),
                      IsOk());
          ASSERT_EQ(got->fields, want.fields) << step;
          place.consumed += place.global_batch;
        }
      }
}

INSTANTIATE_TEST_SUITE_P(Packed, ReadsAheadOf, ::testing::Bool());

TEST(ReadsAhead, OfAnEvaluationAreThoseOfItsBatches) {
  const auto store = NewMemoryStore();
  WriteShards({10}, /*packed=*/false, *store);
  ASSERT_THAT(store->Write("/data/eval-0", *store->Read("/data/train-1000")),
              IsOk());
  ASSERT_OK_AND_ASSIGN(const auto dataset, OpenNumbered(*store));
  const ReadOrder order = EvalRowsInOrder(
      *dataset,
      {.batch_per_core = 1, .first_core = 2, .cores = 2, .global_batch = 4});
  ASSERT_EQ(order.count, 6);
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < order.count; ++i)
    indices.push_back(order.index(i));
  EXPECT_THAT(indices, ::testing::ElementsAre(2, 3, 6, 7, -1, -1));
  EXPECT_NE(dataset->Ahead(Split::kEval, order), nullptr);
}

// Files of this machine are where they are.
TEST(ReadsAhead, ThereAreNoneOfLocalFiles) {
  class Local final : public ObjectStoreWrapper {
   public:
    using ObjectStoreWrapper::ObjectStoreWrapper;
    bool CanMap(std::string_view) const override { return true; }
  };
  const auto memory = NewMemoryStore();
  WriteShards({10}, /*packed=*/false, *memory);
  Local local(memory.get());
  const auto ahead = [](ObjectStore& store) {
    const auto dataset = OpenNumbered(store);
    const bool has =
        (*dataset)->Ahead(
            Split::kTrain,
            TrainRowsInOrder(**dataset, kAheadSeed, kFirstBatch, 3)) != nullptr;
    return has;
  };
  EXPECT_FALSE(ahead(local));
  EXPECT_TRUE(ahead(*memory));
}

// The error is of the step whose example is damaged, not of who read ahead.
TEST(ReadsAhead, AnErrorComesWithItsStep) {
  class Failing final : public ObjectStoreWrapper {
   public:
    using ObjectStoreWrapper::ObjectStoreWrapper;
    absl::StatusOr<std::string> ReadRange(std::string_view path,
                                          std::int64_t offset,
                                          std::int64_t length) override {
      if (fails && offset >= 50'000 && length < 1000)
        return absl::UnavailableError("the store is gone");
      return ObjectStoreWrapper::ReadRange(path, offset, length);
    }
    std::atomic<bool> fails{false};
  };
  const auto memory = NewMemoryStore();
  WriteShards({1000}, /*packed=*/false, *memory);
  Failing store(memory.get());
  ASSERT_OK_AND_ASSIGN(const auto dataset, OpenNumbered(store, 0, 5'000));
  store.fails = true;
  BatchPlace place = {.batch_per_core = 2, .global_batch = 2};
  Batch batch;
  int good = 0;
  while (FillTrainBatch(*dataset, kAheadSeed, place, batch).ok()) {
    ++good;
    place.consumed += 2;
  }
  ASSERT_GT(good, 0);
  Infeed infeed(dataset, kAheadSeed, {.batch_per_core = 2, .global_batch = 2},
                100);
  for (int step = 0; step < good; ++step)
    ASSERT_THAT(infeed.Next(), IsOk()) << step;
  EXPECT_THAT(infeed.Next(), StatusIs(absl::StatusCode::kUnavailable,
                                      HasSubstr("the store is gone")));
}

}  // namespace
}  // namespace podsim
