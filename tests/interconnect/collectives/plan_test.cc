// What plans are made of: segments, chunks, the index and its checks.
#include "interconnect/collectives/plan.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "interconnect/collectives/plan_builder.h"
#include "interconnect/collectives/plan_index.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::testing::HasSubstr;
using testing::StatusIs;

TEST(SegmentOf, SharesDifferByAtMostOneAndCoverAll) {
  for (int world : {1, 2, 3, 7, 32}) {
    for (std::int64_t elements : {0, 1, 6, 7, 8, 1000}) {
      std::int64_t end = 0;
      for (int i = 0; i < world; ++i) {
        const Range segment = SegmentOf(elements, world, i);
        EXPECT_EQ(segment.begin, end);
        EXPECT_GE(segment.count, elements / world);
        EXPECT_LE(segment.count, (elements + world - 1) / world);
        end += segment.count;
      }
      EXPECT_EQ(end, elements);
    }
  }
}

TEST(RingPlan, ChunksAreUniquePerPairAndSegmentsAreCutByTheChunkLength) {
  for (int rank = 0; rank < 2; ++rank) {  // both peers are the same rank
    const RankPlan plan = RingAllReduce({{0, 1}, 1000, 64}, rank);
    std::set<std::pair<bool, std::uint32_t>> seen;
    for (const PlanOp& op : plan.ops) {
      EXPECT_LE(op.range.count, 64);
      EXPECT_TRUE(seen.insert({op.kind == OpKind::kSend, op.chunk}).second);
    }
    EXPECT_EQ(plan.ops.size(), 4 * ((500 + 63) / 64));
  }
}

TEST(PlanBuilder, OpsWaitForWhatTouchesTheSameElements) {
  PlanBuilder builder("all-reduce", 0, 3, 100, 10);
  const std::int64_t scratch = builder.AddScratch(30);
  EXPECT_EQ(scratch, 100);
  const Cut came = builder.ReceiveCopy(1, {20, 30});  // ops 0..2
  const Cut aside = builder.Copy({scratch, 30}, 50);  // ops 3..5
  const Cut sent = builder.Send(2, {25, 20}, {{came}, {aside}});
  const Cut local = builder.Reduce({50, 10}, 45, {{came}, {aside}});
  EXPECT_EQ(builder.Send(1, {0, 0}).count, 0);
  EXPECT_EQ(Joined(sent, local).count, 3);
  const RankPlan plan = std::move(builder).Build();
  ASSERT_EQ(plan.ops.size(), 9);
  EXPECT_EQ(plan.ops[6].range, (Range{25, 10}));
  EXPECT_EQ(plan.ops[6].after, (OpSpan{0, 2}));  // 20..30 and 30..40
  EXPECT_EQ(plan.ops[7].after, (OpSpan{1, 2}));
  EXPECT_EQ(plan.ops[7].after_also, OpSpan{});   // copied from 50 on
  EXPECT_EQ(plan.ops[8].after, (OpSpan{2, 1}));  // reads 45..55
  EXPECT_EQ(plan.ops[8].after_also, (OpSpan{3, 1}));
  EXPECT_EQ(plan.ops[4].source, 60);
}

TEST(PlanBuilder, FramesAreNumberedByPairAndDirection) {
  PlanBuilder builder("all-reduce", 0, 3, 100, 10);
  builder.Send(1, {0, 20});
  builder.Send(2, {0, 10});
  builder.ReceiveCopy(1, {20, 10});
  builder.Send(1, {40, 10});
  const RankPlan plan = std::move(builder).Build();
  std::vector<std::tuple<OpKind, int, std::uint32_t>> frames;
  for (const PlanOp& op : plan.ops) {
    frames.emplace_back(op.kind, op.peer, op.chunk);
  }
  EXPECT_EQ(frames, (std::vector<std::tuple<OpKind, int, std::uint32_t>>{
                        {OpKind::kSend, 1, 0},
                        {OpKind::kSend, 1, 1},
                        {OpKind::kSend, 2, 0},
                        {OpKind::kReceiveCopy, 1, 0},
                        {OpKind::kSend, 1, 2}}));
}

// Plans of tebibytes fit in memory, and of nothing asks for too much.
TEST(PlanBuilder, ChunksOfHugeBuffersAreLonger) {
  for (std::int64_t elements :
       {std::int64_t{1}, std::int64_t{65535}, std::int64_t{65536},
        std::int64_t{1000001}, std::int64_t{1} << 40}) {
    for (std::int64_t chunk : {std::int64_t{1}, std::int64_t{65536},
                               std::numeric_limits<std::int64_t>::max()}) {
      const PlanBuilder builder("all-reduce", 0, 1, elements, chunk);
      std::int64_t covered = 0;
      const std::vector<Range> chunks = builder.ChunksOf({0, elements});
      EXPECT_LE(chunks.size(), kMostChunks);
      for (const Range& range : chunks) {
        EXPECT_EQ(range.begin, covered);
        covered += range.count;
      }
      EXPECT_EQ(covered, elements);
    }
  }
}

TEST(IndexPlan, RefusesOpsThatMakeNoSense) {
  RankPlan good = RingAllReduce({{0, 1, 2}, 30, 10}, 0);
  good.scratch = 10;
  good.ops.push_back({.kind = OpKind::kReduce, .range = {30, 10}, .source = 5});
  const std::size_t local = good.ops.size() - 1;
  EXPECT_THAT(IndexPlan(good), testing::IsOk());
  const auto refused = [&](auto change, const char* what) {
    RankPlan bad = good;
    change(bad);
    EXPECT_THAT(IndexPlan(bad),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(what)));
  };
  refused([](RankPlan& plan) { plan.ops[1].peer = 3; }, "peer 3 of world 3");
  refused([](RankPlan& plan) { plan.ops[1].peer = 0; }, "peer 0");
  refused([&](RankPlan& plan) { plan.ops[local].peer = 1; }, "peer 1");
  refused([](RankPlan& plan) { plan.ops[1].range = {35, 6}; }, "range 35+6");
  refused([](RankPlan& plan) { plan.ops[1].range = {25, 6}; }, "range 25+6");
  refused([](RankPlan& plan) { plan.ops[1].range = {5, 0}; }, "range 5+0");
  refused([&](RankPlan& plan) { plan.ops[local].source = 31; }, "source 31+10");
  refused([&](RankPlan& plan) { plan.ops[local].source = 25; }, "source 25+10");
  refused(
      [](RankPlan& plan) {
        plan.ops[1].after = {1, 1};
      },
      "waits for ops 1+1");
  refused(
      [](RankPlan& plan) {
        plan.ops[3].after = {0, 2};
        plan.ops[3].after_also = {1, 2};
      },
      "waits for ops 0+2 and 1+2");
  refused([](RankPlan& plan) { plan.ops.push_back(plan.ops[1]); }, "twice");
}

}  // namespace
}  // namespace podsim
