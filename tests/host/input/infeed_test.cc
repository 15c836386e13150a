#include <chrono>
#include <cstdint>
#include <memory>

#include "base/mutex.h"
#include "host/input/stream.h"
#include "tests/host/input/numbered_dataset.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

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
    FillTrainBatch(*dataset, kSeed, place, want);
    const Batch& got = infeed.Next();
    ASSERT_EQ(got.rows, want.rows) << step;
    ASSERT_EQ(got.fields, want.fields) << step;
    ASSERT_EQ(got.weights, want.weights) << step;
  }
}

// Counts reads, and lets a test wait for a number of them.
class CountingDataset final : public Dataset {
 public:
  std::int64_t size(Split split) const override { return inner_.size(split); }
  const DatasetConfig& config() const override { return inner_.config(); }
  void Read(Split split, std::int64_t index, ExampleRows rows) const override {
    MutexLock lock(mutex_);
    ++reads_;
    changed_.NotifyAll();
    inner_.Read(split, index, rows);
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
      infeed.Next();
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
    for (std::int64_t step = 0; step < taken; ++step) infeed.Next();
  }
}

TEST(Infeed, NoStepsNeedNothing) {
  Infeed infeed(std::make_shared<NumberedDataset>(100, 1), kSeed, kPlace, 0);
}

TEST(InfeedDeathTest, AskingBeyondTheLastStepIsABug) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        Infeed infeed(std::make_shared<NumberedDataset>(100, 1), kSeed, kPlace,
                      1);
        infeed.Next();
        infeed.Next();
      },
      "taken < steps");
}

}  // namespace
}  // namespace podsim
