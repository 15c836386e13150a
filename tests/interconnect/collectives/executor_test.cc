// The executor over an unkind network in one thread: results, order, credit.
#include "interconnect/collectives/executor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/interconnect/collectives/fake_network.h"
#include "tests/interconnect/collectives/ring_oracle.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::testing::Each;
using testing::FakeNetwork;
using testing::RandomInputs;
using testing::RingSum;

using Generator = RankPlan (*)(const RingOptions&, int);
using Plans = std::vector<std::shared_ptr<const RankPlan>>;

std::vector<int> InOrder(int world) {
  std::vector<int> order(world);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

Plans MakePlans(Generator generator, const RingOptions& options) {
  Plans plans;
  for (std::size_t rank = 0; rank < options.order.size(); ++rank) {
    plans.push_back(std::make_shared<const RankPlan>(
        generator(options, static_cast<int>(rank))));
  }
  return plans;
}

// A pod of executors on one network.
struct Pod {
  Pod(int world, std::int64_t bytes_in_flight, std::uint32_t seed)
      : network(world, bytes_in_flight, seed) {
    for (int host = 0; host < world; ++host) {
      executors.push_back(std::make_unique<Executor>(
          network, clock,
          Executor::Options{.host = host, .hosts = InOrder(world)}));
    }
  }

  void Start(int host, std::uint64_t sequence, const Plans& plans,
             std::vector<float>& buffer) {
    ASSERT_THAT(executors[host]->Start(
                    sequence, plans[host], buffer, "bucket",
                    [this](const absl::Status& s) { done.push_back(s); }),
                testing::IsOk());
  }
  bool idle() const {
    return std::all_of(executors.begin(), executors.end(),
                       [](const auto& e) { return e->idle(); });
  }

  SimClock clock;
  FakeNetwork network;
  std::vector<std::unique_ptr<Executor>> executors;
  std::vector<absl::Status> done;
};

class ExecutorWorld : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(World, ExecutorWorld,
                         ::testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 32));

// Three all-reduces at once, started by each host in an order and at times of
// its own, on a ring that is not in rank order.
class ThreeAtOnce {
 public:
  ThreeAtOnce(int world, std::int64_t elements, std::int64_t chunk,
              std::uint32_t seed)
      : random_(seed),
        order_(Shuffled(InOrder(world))),
        bound_(4 * chunk * (1 + Below(3))),
        pod_(world, bound_, seed) {
    const Plans plans = MakePlans(&RingAllReduce, {order_, elements, chunk});
    for (std::uint32_t i = 0; i < 3; ++i)
      buffers_.push_back(RandomInputs(world, elements, seed + i));
    for (const auto& of_hosts : buffers_)
      expected_.push_back(RingSum(order_, of_hosts));
    std::vector<std::pair<int, int>> starts;  // host, collective
    for (int host = 0; host < world; ++host)
      for (int i = 0; i < 3; ++i) starts.emplace_back(host, i);
    for (const auto& [host, i] : Shuffled(std::move(starts))) {
      pod_.Start(host, 40 + i, plans, buffers_[i][host]);
      for (int polls = Below(20); polls > 0; --polls)
        pod_.network.Poll(absl::ZeroDuration());
    }
    pod_.network.Run();
  }

  void Check() {
    ASSERT_TRUE(pod_.idle()) << pod_.executors[0]->waiting().what;
    EXPECT_EQ(pod_.done.size(), 3 * order_.size());
    EXPECT_THAT(pod_.done, Each(testing::IsOk()));
    EXPECT_EQ(pod_.network.overwritten(), 0);
    EXPECT_LE(pod_.network.most_in_flight(), bound_);
    for (std::size_t i = 0; i < buffers_.size(); ++i)
      for (const auto& buffer : buffers_[i]) ASSERT_EQ(buffer, expected_[i]);
  }

 private:
  int Below(int end) {
    return std::uniform_int_distribution<int>(0, end - 1)(random_);
  }
  template <typename T>
  std::vector<T> Shuffled(std::vector<T> all) {
    std::shuffle(all.begin(), all.end(), random_);
    return all;
  }

  std::mt19937 random_;
  const std::vector<int> order_;
  const std::int64_t bound_;
  Pod pod_;
  std::vector<std::vector<std::vector<float>>> buffers_;
  std::vector<std::vector<float>> expected_;
};

TEST_P(ExecutorWorld, AllReduceEqualsTheSumInRingOrderBitForBit) {
  const int world = GetParam();
  std::uint32_t seed = 100 * world;
  for (const std::int64_t elements :
       {0, 1, world - 1, world, world + 1, 1000, 65537}) {
    for (std::int64_t chunk : {64, 1000, 65536}) {
      // Long buffers in short chunks take long and no other path.
      if (elements > 1000 && chunk < 65536) chunk *= 64;
      ++seed;
      SCOPED_TRACE(absl::StrCat("elements ", elements, ", chunk ", chunk,
                                ", seed ", seed));
      ThreeAtOnce(world, elements, chunk, seed).Check();
    }
  }
}

// A sharded update will stand between the two phases.
TEST_P(ExecutorWorld, ReduceScatterThenAllGatherIsAnAllReduce) {
  const int world = GetParam();
  const std::vector<int> order = InOrder(world);
  const RingOptions options{order, 1003, 50};
  const Plans scatter = MakePlans(&RingReduceScatter, options);
  const Plans gather = MakePlans(&RingAllGather, options);
  Pod pod(world, 1000, world);
  auto buffers = RandomInputs(world, 1003, world);
  const std::vector<float> expected = RingSum(order, buffers);
  for (int host = 0; host < world; ++host) {
    ASSERT_THAT(
        pod.executors[host]->Start(1, scatter[host], buffers[host], "scatter",
                                   [&, host](const absl::Status& status) {
                                     ASSERT_THAT(status, testing::IsOk());
                                     pod.Start(host, 2, gather, buffers[host]);
                                   }),
        testing::IsOk());
  }
  pod.network.Run();
  EXPECT_TRUE(pod.idle());
  EXPECT_EQ(pod.done.size(), world);
  for (const auto& buffer : buffers) EXPECT_EQ(buffer, expected);
}

TEST(Executor, WholeNumbersAreExact) {
  const int world = 9;
  const Plans plans = MakePlans(&RingAllReduce, {InOrder(world), 1000, 16});
  Pod pod(world, 4096, 1);
  std::vector<std::vector<float>> buffers(world, std::vector<float>(1000));
  for (int host = 0; host < world; ++host) {
    for (int i = 0; i < 1000; ++i) {
      buffers[host][i] = static_cast<float>(i * (host + 1));
    }
    pod.Start(host, 0, plans, buffers[host]);
  }
  pod.network.Run();
  const int hosts_sum = world * (world + 1) / 2;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(buffers[3][i], static_cast<float>(i * hosts_sum));
  }
  EXPECT_GT(pod.network.placed(), 0) << "sums that travel on";
}

TEST(Executor, CopiesThatTravelOnAreMadeInPlace) {
  const int world = 4;
  const Plans plans = MakePlans(&RingAllGather, {InOrder(world), 1000, 16});
  Pod pod(world, 4096, 1);
  auto buffers = RandomInputs(world, 1000, 1);
  for (int host = 0; host < world; ++host) {
    pod.Start(host, 0, plans, buffers[host]);
  }
  pod.network.Run();
  EXPECT_TRUE(pod.idle());
  for (const auto& buffer : buffers) EXPECT_EQ(buffer, buffers[0]);
  EXPECT_GT(pod.network.placed(), 0);
}

TEST(Executor, AGroupOfOneIsDoneAtOnce) {
  Pod pod(1, 1000, 1);
  std::vector<float> buffer = {1, 2, 3};
  pod.Start(0, 0, MakePlans(&RingAllReduce, {{0}, 3, 2}), buffer);
  EXPECT_THAT(pod.done, Each(testing::IsOk()));
  EXPECT_EQ(pod.done.size(), 1);
  EXPECT_TRUE(pod.idle());
  EXPECT_EQ(buffer, (std::vector<float>{1, 2, 3}));
}

TEST(Executor, AGroupMayBeAnySubsetOfHosts) {
  SimClock clock;
  FakeNetwork network(9, 1000, 1);
  const std::vector<int> hosts = {7, 2, 5};
  const Plans plans = MakePlans(&RingAllReduce, {{0, 1, 2}, 10, 2});
  std::vector<std::unique_ptr<Executor>> executors;
  std::vector<std::vector<float>> buffers(3, std::vector<float>(10, 1.0F));
  int done = 0;
  for (int position = 0; position < 3; ++position) {
    executors.push_back(std::make_unique<Executor>(
        network, clock,
        Executor::Options{
            .host = hosts[position], .group = 4, .hosts = hosts}));
    ASSERT_THAT(
        executors.back()->Start(3, plans[position], buffers[position], "norm",
                                [&](const absl::Status&) { ++done; }),
        testing::IsOk());
  }
  network.Run();
  EXPECT_EQ(done, 3);
  EXPECT_THAT(buffers, Each(Each(3.0F)));
}

// As a training step does, many times, with the same plans: hundreds of hosts
// in one process.
TEST(Executor, HundredsOfHostsRunManyBucketsInOneProcess) {
  const int world = 256;
  const Plans plans = MakePlans(&RingAllReduce, {InOrder(world), 2048, 8});
  Pod pod(world, 64, 1);
  std::vector<std::vector<float>> buffers(world, std::vector<float>(2048));
  for (std::uint64_t sequence = 0; sequence < 2; ++sequence) {
    for (auto& buffer : buffers) {
      std::fill(buffer.begin(), buffer.end(), 1.0F);
    }
    for (int host = 0; host < world; ++host) {
      pod.Start(host, sequence, plans, buffers[host]);
    }
    pod.network.Run();
    ASSERT_TRUE(pod.idle());
    EXPECT_THAT(buffers, Each(Each(256.0F)));
  }
  EXPECT_EQ(pod.network.frames(), 2 * 256 * 2 * 255);
}

TEST(Executor, FramesOfACollectiveNotStartedHereKeepTheirCredit) {
  const Plans plans = MakePlans(&RingAllReduce, {{0, 1}, 1000, 10});
  Pod pod(2, 400, 5);
  std::vector<float> mine(1000, 1.0F);
  std::vector<float> theirs(1000, 2.0F);
  pod.Start(0, 8, plans, mine);
  pod.network.Run();
  EXPECT_EQ(pod.network.in_flight(0, 1), 400);  // held, no more comes
  EXPECT_EQ(pod.network.frames(), 10);
  const Waiting waiting = pod.executors[0]->waiting();
  EXPECT_EQ(waiting.host, 1);

  pod.Start(1, 8, plans, theirs);
  pod.network.Run();
  EXPECT_TRUE(pod.idle());
  EXPECT_EQ(pod.network.in_flight(0, 1), 0);
  EXPECT_THAT(theirs, Each(3.0F));
}

// Nobody takes the bulk's frames, so that no credit is left for them.
TEST(Executor, WhatIsWaitedForGoesPastTheBulk) {
  const Plans bulk = MakePlans(&RingAllReduce, {{0, 1}, 1000, 10});
  const Plans few = MakePlans(&RingAllReduce, {{0, 1}, 4, 10});
  Pod pod(2, 400, 5);
  std::vector<float> all(1000, 1.0F);
  pod.Start(0, 1, bulk, all);
  pod.network.Run();
  ASSERT_EQ(pod.network.in_flight(0, 1), 400);
  std::vector<std::vector<float>> mine(2, std::vector<float>(4, 1.0F));
  for (const int host : {0, 1}) {
    CollectiveBuffer buffer(mine[host]);
    buffer.lane = Lane::kExpress;
    ASSERT_THAT(pod.executors[host]->Start(2, few[host], buffer, "few",
                                           [](const absl::Status&) {}),
                testing::IsOk());
  }
  pod.network.Run();
  EXPECT_THAT(mine[0], Each(2.0F));
  EXPECT_THAT(mine[1], Each(2.0F));
  EXPECT_EQ(pod.network.in_flight(0, 1), 400);  // still
  EXPECT_FALSE(pod.idle());
}

TEST(Executor, DoneMayStartTheNextCollective) {
  const Plans plans = MakePlans(&RingAllReduce, {{0, 1, 2}, 30, 4});
  Pod pod(3, 50, 2);
  std::vector<std::vector<float>> buffers(3, std::vector<float>(30, 1.0F));
  std::function<void(int, std::uint64_t)> start = [&](int host,
                                                      std::uint64_t sequence) {
    ASSERT_THAT(pod.executors[host]->Start(
                    sequence, plans[host], buffers[host], "chain",
                    [&, host, sequence](const absl::Status& status) {
                      ASSERT_THAT(status, testing::IsOk());
                      if (sequence < 9) start(host, sequence + 1);
                    }),
                testing::IsOk());
  };
  for (int host = 0; host < 3; ++host) start(host, 0);
  pod.network.Run();
  EXPECT_TRUE(pod.idle());
  EXPECT_THAT(buffers, Each(Each(59049.0F)));  // 3 to the 10th
}

TEST(Executor, SaysWhatItWaitsForAndCountsFrames) {
  const Plans plans = MakePlans(&RingAllReduce, {{0, 1, 2}, 3, 1});
  Pod pod(3, 1000, 2);
  std::vector<std::vector<float>> buffers(3, std::vector<float>(3, 1.0F));
  EXPECT_EQ(pod.executors[1]->waiting().host, -1);
  pod.Start(1, 412, plans, buffers[1]);
  EXPECT_EQ(pod.executors[1]->waiting().what,
            "host 2 has not taken chunk 0 of all-reduce #412 (bucket)");
  pod.Start(2, 412, plans, buffers[2]);
  pod.network.Run();
  pod.clock.Advance(absl::Seconds(3));
  const Waiting waiting = pod.executors[1]->waiting();
  EXPECT_EQ(waiting.host, 0);
  EXPECT_EQ(waiting.what,
            "host 0 has not sent chunk 0 of all-reduce #412 (bucket)");
  EXPECT_EQ(waiting.since, absl::Seconds(3));
  // Its send is done. Host 2 got a frame; whether its own count as sent while
  // host 0 takes none is the network's choice.
  EXPECT_EQ(pod.executors[1]->progress(), 1);
  EXPECT_GE(pod.executors[2]->progress(), 1);

  pod.Start(0, 412, plans, buffers[0]);
  pod.network.Run();
  for (const auto& executor : pod.executors) {
    EXPECT_EQ(executor->progress(), 8);  // 4 steps, a send and a receive each
  }
}

}  // namespace
}  // namespace podsim
