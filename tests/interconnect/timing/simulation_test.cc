// The simulation's rules, each by a case that can be worked out by hand.
#include "interconnect/timing/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "interconnect/collectives/plan_builder.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::testing::HasSubstr;
using testing::StatusIs;

// 1 element (4 bytes) takes 1 ns of a link, a hop 100 ns.
constexpr std::int64_t kNs = 1000;
constexpr std::int64_t kHop = 100 * kNs;

SimLinks Links(int count) {
  return {.count = count,
          .bytes_per_second = 4e9,
          .hop = SimTime::Picoseconds(kHop)};
}

std::shared_ptr<const SimPlan> Read(const RankPlan& plan) {
  auto read = SimPlanOf(plan, /*element_bytes=*/4);
  EXPECT_TRUE(read.ok()) << read.status();
  return std::make_shared<const SimPlan>(*std::move(read));
}

// Chips that send and receive single pieces over ways that are given.
class Wires {
 public:
  explicit Wires(int chips) : chips_(chips) {
    for (int chip = 0; chip < chips; ++chip)
      builders_.emplace_back("test", chip, chips, 1 << 20, 1 << 20);
    paths_.resize(chips);
  }

  // Returns what the receiver may wait for.
  Cut Send(int from, int to, std::int64_t elements, const std::vector<int>& way,
           const Cut& after = {}) {
    builders_[from].Send(to, {0, elements}, {{after}});
    paths_[from].resize(chips_);
    SimPath& path = paths_[from][to];
    path = {
        .to = to, .from = from, .steps = {static_cast<int>(way.size()), 0, 0}};
    for (const int link : way)
      path.hops.push_back({.link = static_cast<std::uint32_t>(link)});
    return builders_[to].ReceiveCopy(from, {0, elements});
  }

  absl::StatusOr<SimResult> Run(const SimLinks& links) && {
    std::vector<SimRank> ranks;
    for (int chip = 0; chip < chips_; ++chip) {
      SimRank& rank = ranks.emplace_back();
      rank.plan = Read(std::move(builders_[chip]).Build());
      for (const PlanIndex::Peer& peer : rank.plan->index.peers) {
        const bool sends = peer.rank < static_cast<int>(paths_[chip].size());
        rank.paths.push_back(sends ? paths_[chip][peer.rank] : SimPath());
      }
    }
    return Simulate(ranks, links);
  }

 private:
  int chips_;
  std::vector<PlanBuilder> builders_;
  std::vector<std::vector<SimPath>> paths_;
};

std::int64_t Time(Wires wires, int links) {
  const auto result = std::move(wires).Run(Links(links));
  EXPECT_TRUE(result.ok()) << result.status();
  return result->time.picoseconds();
}

TEST(SimulationTest, OneHopIsLengthAndLatency) {
  Wires wires(2);
  wires.Send(0, 1, 1000, {0});
  EXPECT_EQ(Time(std::move(wires), 1), 1000 * kNs + kHop);
}

// A second link costs its latency, not its length again.
TEST(SimulationTest, FurtherHopsAreCutThrough) {
  Wires wires(2);
  wires.Send(0, 1, 1000, {0, 1, 2});
  EXPECT_EQ(Time(std::move(wires), 3), 1000 * kNs + 3 * kHop);
}

TEST(SimulationTest, TwoPiecesShareALinkOneAfterTheOther) {
  Wires wires(3);
  wires.Send(0, 2, 1000, {0, 2});
  wires.Send(1, 2, 500, {1, 2});
  // Both heads are at link 2 after one hop; whoever is first, the other waits.
  EXPECT_EQ(Time(std::move(wires), 3), 1500 * kNs + 2 * kHop);
}

// First come, first served: the later one waits though it is shorter.
TEST(SimulationTest, TheFirstToComeIsServedFirst) {
  Wires wires(4);
  wires.Send(0, 2, 1000, {0});
  wires.Send(1, 3, 10, {1, 0});
  const auto result = std::move(wires).Run(Links(2));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->ends[2].picoseconds(), 1000 * kNs + kHop);
  // Its head comes to link 0 after one hop and waits for the link.
  EXPECT_EQ(result->ends[3].picoseconds(), 1010 * kNs + kHop);
}

TEST(SimulationTest, DifferentLinksDoNotDisturbEachOther) {
  Wires wires(3);
  wires.Send(0, 1, 1000, {0});
  wires.Send(0, 2, 1000, {1});
  EXPECT_EQ(Time(std::move(wires), 2), 1000 * kNs + kHop);
}

// Both directions of a wire are two links.
TEST(SimulationTest, ExchangeTakesNoLongerThanOneWay) {
  Wires wires(2);
  wires.Send(0, 1, 1000, {0});
  wires.Send(1, 0, 1000, {1});
  EXPECT_EQ(Time(std::move(wires), 2), 1000 * kNs + kHop);
}

TEST(SimulationTest, WhatWaitsForAPieceIsStoredAndForwarded) {
  Wires wires(3);
  const Cut came = wires.Send(0, 1, 1000, {0});
  wires.Send(1, 2, 1000, {1}, came);
  EXPECT_EQ(Time(std::move(wires), 2), 2 * (1000 * kNs + kHop));
}

TEST(SimulationTest, ASlowLinkHoldsUpWhatPassesIt) {
  Wires wires(2);
  wires.Send(0, 1, 1000, {0, 1});
  SimLinks links = Links(2);
  links.rates = {0.25, 1};
  const auto result = std::move(wires).Run(links);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->time.picoseconds(), 4000 * kNs + 2 * kHop);
  EXPECT_EQ(result->busy[1].picoseconds(), 4000 * kNs);
}

TEST(SimulationTest, CountsWhatALinkCarried) {
  Wires wires(3);
  wires.Send(0, 2, 1000, {0, 2});
  wires.Send(1, 2, 500, {1, 2});
  const auto result = std::move(wires).Run(Links(3));
  ASSERT_TRUE(result.ok());
  EXPECT_THAT(result->sent, ::testing::ElementsAre(4000, 2000, 6000));
  EXPECT_EQ(result->busy[2].picoseconds(), 1500 * kNs);
}

TEST(SimulationTest, PlansThatNeverEndAreToldOf) {
  PlanBuilder builder("test", 0, 2, 10, 10);
  builder.ReceiveCopy(1, {0, 10});
  std::vector<SimRank> ranks(1);
  ranks[0].plan = Read(std::move(builder).Build());
  ranks[0].paths.resize(1);
  EXPECT_THAT(Simulate(ranks, Links(1)),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("rank 0 waits")));
}

}  // namespace
}  // namespace podsim
