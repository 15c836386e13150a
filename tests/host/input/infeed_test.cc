#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/mutex.h"
#include "base/status.h"
#include "host/input/input_memory.h"
#include "host/input/stream.h"
#include "tests/host/input/numbered_dataset.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::NumberedDataset;

constexpr std::uint64_t kSeed = 3;
constexpr BatchPlace kPlace = {.consumed = 17,
                               .batch_per_core = 5,
                               .first_core = 8,
                               .cores = 8,
                               .global_batch = 160};

TEST(Infeed, GivesWhatDirectReadingGives) {
  constexpr std::int64_t kSteps = 50;
  const auto dataset = std::make_shared<NumberedDataset>(333, 1);
  Infeed infeed(dataset, kSeed, kPlace, kSteps);
  Batch want;
  for (std::int64_t step = 0; step < kSteps; ++step) {
    BatchPlace place = kPlace;
    place.consumed += step * place.global_batch;
    ASSERT_THAT(FillTrainBatch(*dataset, kSeed, place, want), IsOk());
    ASSERT_OK_AND_ASSIGN(const Batch* got, infeed.Next());
    ASSERT_EQ(got->rows, want.rows) << step;
    ASSERT_EQ(got->fields, want.fields) << step;
    ASSERT_EQ(got->weights, want.weights) << step;
  }
}

// Counts reads, and lets a test wait for a number of them.
class CountingDataset final : public Dataset {
 public:
  std::int64_t size(Split split) const override { return inner_.size(split); }
  const DatasetConfig& config() const override { return inner_.config(); }
  absl::Status Read(Split split, std::int64_t index, const ReadContext& context,
                    ExampleRows rows) const override {
    MutexLock lock(mutex_);
    ++reads_;
    changed_.NotifyAll();
    return inner_.Read(split, index, context, rows);
  }

  // False when they have not come within ten seconds.
  bool WaitForReads(std::int64_t count) const {
    MutexLock lock(mutex_);
    const auto until =
        std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (reads_ < count && std::chrono::steady_clock::now() < until)
      changed_.WaitFor(mutex_, std::chrono::seconds(1));
    return reads_ >= count;
  }
  std::int64_t reads() const {
    MutexLock lock(mutex_);
    return reads_;
  }

 private:
  const NumberedDataset inner_{100, 1};
  mutable Mutex mutex_;
  mutable CondVar changed_;
  mutable std::int64_t reads_ PODSIM_GUARDED_BY(mutex_) = 0;
};

TEST(Infeed, RunsAheadOfItsReaderByABoundedAmount) {
  const auto dataset = std::make_shared<CountingDataset>();
  constexpr std::int64_t kRows = 40;  // of one batch
  {
    Infeed infeed(dataset, kSeed, kPlace, 1000);
    ASSERT_TRUE(dataset->WaitForReads(kRows));  // before anybody asked
    for (std::int64_t step = 0; step < 10; ++step) {
      ASSERT_THAT(infeed.Next().status(), IsOk());
      // The next batch comes while this one is held, the one after does not:
      // it would overwrite it.
      ASSERT_TRUE(dataset->WaitForReads((step + 2) * kRows));
    }
    EXPECT_LE(dataset->reads(), 11 * kRows);
  }
}

TEST(Infeed, EndsWithUnreadBatches) {
  for (const std::int64_t taken : {0, 1, 3}) {
    const auto dataset = std::make_shared<NumberedDataset>(100, 1);
    Infeed infeed(dataset, kSeed, kPlace, 1'000'000'000);
    for (std::int64_t step = 0; step < taken; ++step)
      ASSERT_THAT(infeed.Next().status(), IsOk());
  }
}

TEST(Infeed, NoStepsNeedNothing) {
  Infeed infeed(std::make_shared<NumberedDataset>(100, 1), kSeed, kPlace, 0);
}

// Examples that take long to make, so that many threads share a batch out, and
// of which some cannot be read.
class CostlyDataset final : public Dataset {
 public:
  explicit CostlyDataset(std::vector<std::int64_t> bad = {})
      : bad_(std::move(bad)) {}
  std::int64_t size(Split split) const override { return inner_.size(split); }
  const DatasetConfig& config() const override { return inner_.config(); }
  bool in_memory() const override { return false; }
  absl::Status Read(Split split, std::int64_t index, const ReadContext& context,
                    ExampleRows rows) const override {
    if (std::count(bad_.begin(), bad_.end(), index) > 0)
      return absl::DataLossError(
          absl::StrCat("shard 3: offset ", index, ": torn"));
    const absl::Status status = inner_.Read(split, index, context, rows);
    // What it draws is of its place in the stream, whoever reads it.
    RowValues<float>(rows[0])[1] = static_cast<float>(context.key >> 40);
    return status;
  }

 private:
  const NumberedDataset inner_{333, 1};
  const std::vector<std::int64_t> bad_;
};

TEST(Infeed, ThreadsAndBatchesAheadChangeNothing) {
  constexpr std::int64_t kSteps = 40;
  const auto dataset = std::make_shared<CostlyDataset>();
  for (const int threads : {1, 2, 7})
    for (const std::int64_t batches : {1, 2, 5}) {
      Infeed infeed(dataset, kSeed, kPlace, kSteps,
                    {.threads = threads, .batches = batches});
      Batch want;
      for (std::int64_t step = 0; step < kSteps; ++step) {
        BatchPlace place = kPlace;
        place.consumed += step * place.global_batch;
        ASSERT_THAT(FillTrainBatch(*dataset, kSeed, place, want), IsOk());
        ASSERT_OK_AND_ASSIGN(const Batch* got, infeed.Next());
        ASSERT_EQ(got->fields, want.fields) << threads << " " << batches;
        ASSERT_EQ(got->keys, want.keys) << threads << " " << batches;
      }
    }
}

// Batches before the damage come whole; then always the first error in the
// order of the stream, however many threads meet however many.
TEST(Infeed, TheFirstErrorOfTheStreamEndsIt) {
  const std::vector<std::int64_t> bad = {5, 100, 101, 250, 332};
  const CostlyDataset reader(bad);
  std::int64_t good = 0;
  absl::Status want;
  Batch batch;
  for (; want.ok(); ++good) {
    BatchPlace place = kPlace;
    place.consumed += good * place.global_batch;
    want = FillTrainBatch(reader, kSeed, place, batch);
  }
  --good;
  ASSERT_THAT(want, testing::StatusIs(absl::StatusCode::kDataLoss,
                                      ::testing::HasSubstr("torn")));
  for (const int threads : {1, 3, 8})
    for (const std::int64_t batches : {1, 2, 4}) {
      Infeed infeed(std::make_shared<CostlyDataset>(bad), kSeed, kPlace, 50,
                    {.threads = threads, .batches = batches});
      for (std::int64_t step = 0; step < good; ++step)
        ASSERT_THAT(infeed.Next().status(), IsOk()) << step;
      for (int again = 0; again < 3; ++again)
        ASSERT_EQ(infeed.Next().status(), want) << threads << " " << batches;
    }
}

TEST(Infeed, SaysWhatItTook) {
  int told = 0;
  Infeed infeed(std::make_shared<NumberedDataset>(100, 1), kSeed, kPlace, 3,
                {.on_progress = [&told] { ++told; }});
  for (int step = 0; step < 3; ++step)
    ASSERT_THAT(infeed.Next().status(), IsOk());
  EXPECT_GT(infeed.times()[InputPart::kCopy], 0);
  EXPECT_EQ(infeed.times()[InputPart::kRead], 0);
  EXPECT_EQ(infeed.threads(), 1);
  EXPECT_EQ(told, 3);
}

TEST(InputMemory, HalfGoesToBatchesTheRestToReaders) {
  const auto divided = [](std::int64_t bytes, std::int64_t batch) {
    const InputMemory memory = DivideInputMemory(bytes, batch);
    return std::pair(memory.batches, memory.reader_bytes);
  };
  EXPECT_EQ(divided(0, 1 << 30), std::pair(2L, kDefaultReaderBytes));
  EXPECT_EQ(divided(1000, 100), std::pair(5L, 500L));
  EXPECT_EQ(divided(1000, 600), std::pair(1L, 400L));
  EXPECT_EQ(divided(1000, 1000), std::pair(1L, 0L));
  EXPECT_EQ(divided(1000, 1001), std::pair(0L, 1000L));
  EXPECT_EQ(divided(1000, 10), std::pair(kMostBatches, 920L));
}

TEST(InfeedDeathTest, AskingBeyondTheLastStepIsABug) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        Infeed infeed(std::make_shared<NumberedDataset>(100, 1), kSeed, kPlace,
                      1);
        PODSIM_CHECK(infeed.Next().ok());
        (void)infeed.Next();
      },
      "taken < steps");
}

}  // namespace
}  // namespace podsim
