// Rounds of collectives: order, waits that end, and what the lease says
// meanwhile.
#include "host/bench/collective_driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <thread>

#include "host/core/core.h"
#include "interconnect/transport/in_process.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// All-reduces `values` of each local host in every round, or of even rounds.
class SumRounds : public CollectiveRounds {
 public:
  SumRounds(const std::vector<int>& hosts, int world,
            std::int64_t elements = 3) {
    std::vector<int> ring;
    for (int rank = 0; rank < world; ++rank) ring.push_back(rank);
    for (const int host : hosts) {
      plans_.push_back(std::make_shared<const RankPlan>(
          RingAllReduce({.order = ring, .elements = elements}, host)));
      values.emplace_back(elements)[0] = 1.0F + static_cast<float>(host);
    }
  }
  void Begin(int local, int round,
             std::vector<CollectiveStart>& starts) override {
    log[local].push_back(round);
    if (only_even && round % 2 == 1) return;
    starts.push_back({plans_[local], values[local]});
  }
  void End(int local, int round) override { log[local].push_back(100 + round); }

  bool only_even = false;
  std::vector<std::vector<float>> values;  // per local host
  std::map<int, std::vector<int>> log;     // rounds begun, 100 + rounds ended

 private:
  std::vector<std::shared_ptr<const RankPlan>> plans_;
};

class CollectiveDriverTest : public ::testing::Test {
 protected:
  SystemClock clock_;
  Progress progress_;
  InProcessNetwork network_;
};

TEST_F(CollectiveDriverTest, RunsEveryRoundOfEveryLocalHostInOrder) {
  const auto transport = network_.Join({0, 1, 2});
  CollectiveDriver driver(*transport, clock_, progress_, {.hosts = 3});
  SumRounds work({0, 1, 2}, 3);
  work.only_even = true;  // a round may start nothing
  ASSERT_THAT(driver.Run(3, "test", absl::InfiniteFuture(), work), IsOk());
  for (int local = 0; local < 3; ++local) {
    EXPECT_THAT(work.log[local], ElementsAre(0, 100, 1, 101, 2, 102));
    EXPECT_EQ(work.values[local][0], 18);  // 1 + 2 + 3, three times that
  }
  EXPECT_GT(progress_.snapshot().count, 0u);
}

// Chunks of 65,536 floats on two hosts: just long enough to be shared.
constexpr std::int64_t kLarge = 1 << 19;

// Runs tasks one by one, and counts.
class CountingLoop final : public ParallelFor {
 public:
  void Run(std::int64_t count,
           const std::function<void(std::int64_t)>& fn) override {
    ++runs;
    for (std::int64_t i = 0; i < count; ++i) fn(i);
  }
  int runs = 0;
};

TEST_F(CollectiveDriverTest, SeveralLocalHostsShareLargeSums) {
  const auto both = network_.Join({0, 1});
  CountingLoop parallel;
  CollectiveDriver driver(*both, clock_, progress_,
                          {.hosts = 2, .parallel = &parallel});
  SumRounds small({0, 1}, 2);
  ASSERT_THAT(driver.Run(1, "a", absl::InfiniteFuture(), small), IsOk());
  EXPECT_EQ(parallel.runs, 0);
  SumRounds large({0, 1}, 2, kLarge);
  for (auto& values : large.values) {
    std::iota(values.begin(), values.end(), 1.0F);
  }
  ASSERT_THAT(driver.Run(1, "b", absl::InfiniteFuture(), large), IsOk());
  EXPECT_GT(parallel.runs, 0);
  for (const auto& values : large.values) {
    for (std::int64_t i = 0; i < kLarge; ++i) {
      ASSERT_EQ(values[i], 2 * (static_cast<float>(i) + 1)) << i;
    }
  }
}

TEST_F(CollectiveDriverTest, AHostByItselfSharesNothing) {
  CountingLoop parallel[2];
  // Both are there before either sends.
  const std::unique_ptr<Transport> transports[] = {network_.Join({0}),
                                                   network_.Join({1})};
  std::vector<std::jthread> processes;
  for (const int host : {0, 1}) {
    processes.emplace_back([&, host] {
      Progress progress;
      CollectiveDriver driver(*transports[host], clock_, progress,
                              {.hosts = 2, .parallel = &parallel[host]});
      SumRounds large({host}, 2, kLarge);
      EXPECT_THAT(driver.Run(1, "a", absl::InfiniteFuture(), large), IsOk());
      EXPECT_EQ(large.values[0][0], 3);
    });
  }
  processes.clear();
  EXPECT_EQ(parallel[0].runs + parallel[1].runs, 0);
}

TEST_F(CollectiveDriverTest, SequencesGoOnFromRunToRun) {
  const auto transport = network_.Join({0, 1});
  CollectiveDriver driver(*transport, clock_, progress_, {.hosts = 2});
  SumRounds work({0, 1}, 2);
  ASSERT_THAT(driver.Run(1, "a", absl::InfiniteFuture(), work), IsOk());
  ASSERT_THAT(driver.Run(0, "b", absl::InfiniteFuture(), work), IsOk());
  ASSERT_THAT(driver.Run(1, "c", absl::InfiniteFuture(), work), IsOk());
  EXPECT_EQ(work.values[1][0], 6);
}

TEST_F(CollectiveDriverTest, AWorldOfOneIsDoneAtOnce) {
  const auto transport = network_.Join({0});
  CollectiveDriver driver(*transport, clock_, progress_, {.hosts = 1});
  SumRounds work({0}, 1);
  ASSERT_THAT(driver.Run(1000, "test", absl::InfiniteFuture(), work), IsOk());
  EXPECT_EQ(work.log[0].size(), 2000u);
}

TEST_F(CollectiveDriverTest, AWaitIsToldToTheLeaseAndEndsWithAbort) {
  const auto transport = network_.Join({0});
  const auto other = network_.Join({1});  // never answers
  CollectiveDriver driver(*transport, clock_, progress_, {.hosts = 2});
  SumRounds work({0}, 2);
  absl::Status status;
  std::jthread runner(
      [&] { status = driver.Run(1, "row 4", absl::InfiniteFuture(), work); });
  while (progress_.snapshot().waiting.host < 0) std::this_thread::yield();
  EXPECT_EQ(progress_.snapshot().waiting.host, 1);
  EXPECT_THAT(progress_.snapshot().waiting.what, HasSubstr("row 4"));
  EXPECT_EQ(driver.waiting().host, 1);
  driver.Abort(absl::CancelledError("no more"));
  runner.join();
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kCancelled, "no more"));
  EXPECT_THAT(driver.Run(1, "next", absl::InfiniteFuture(), work),
              StatusIs(absl::StatusCode::kCancelled, "no more"));
}

TEST_F(CollectiveDriverTest, AWaitEndsAtItsDeadline) {
  const auto transport = network_.Join({0});
  const auto other = network_.Join({1});
  CollectiveDriver driver(*transport, clock_, progress_, {.hosts = 2});
  SumRounds work({0}, 2);
  EXPECT_THAT(
      driver.Run(1, "row 4", clock_.Now() + absl::Milliseconds(150), work),
      StatusIs(absl::StatusCode::kDeadlineExceeded,
               AllOf(HasSubstr("--timeout"), HasSubstr("host 1"),
                     HasSubstr("row 4"))));
}

TEST_F(CollectiveDriverTest, AWaitEndsWhenNothingMoves) {
  const auto transport = network_.Join({0});
  const auto other = network_.Join({1});
  CollectiveDriver driver(*transport, clock_, progress_,
                          {.hosts = 2, .stall_limit = absl::Milliseconds(150)});
  SumRounds work({0}, 2);
  EXPECT_THAT(driver.Run(1, "row 4", absl::InfiniteFuture(), work),
              StatusIs(absl::StatusCode::kDeadlineExceeded,
                       AllOf(HasSubstr("no frame moved for 150ms"),
                             HasSubstr("host 1"))));
}

}  // namespace
}  // namespace podsim
