// A benchmark's cases beside the modelled chips: as the pricer has them.
#include "runtime/bench/sim_price.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interconnect/timing/pricing.h"
#include "runtime/job/bench_plan.h"

namespace podsim {
namespace {

using ::testing::IsEmpty;

JobPlan PlanOf(const Slice& slice, words::Collective::Word collective) {
  JobPlan plan;
  plan.mutable_bits()->set_slice(slice.name);
  plan.mutable_bits()->set_hosts(slice.hosts);
  BenchSpec& bench = *plan.mutable_spec()->mutable_bench();
  bench.set_collective(collective);
  bench.set_minbytes(1 << 20);
  bench.set_maxbytes(4 << 20);
  bench.set_stepfactor(4);
  bench.add_datatype(words::DataType::float_);
  bench.add_datatype(words::DataType::bfloat16);
  FillBenchDefaults(bench);
  return plan;
}

TEST(SimPriceTest, EachCaseHasThePriceOfItsBytesAndType) {
  const Slice slice = *FindSlice("v3-32");
  const auto prices =
      SimPricesOf(slice, PlanOf(slice, words::Collective::all_reduce));
  ASSERT_EQ(prices.size(), 4u);  // two types of two sizes
  std::size_t at = 0;
  for (const int element_bytes : {4, 2}) {
    for (const std::int64_t bytes : {1 << 20, 4 << 20}) {
      const SimPrice& price = prices[at++];
      EXPECT_THAT(price.missing, IsEmpty());
      const auto expected = PriceCollective(
          slice, {.bytes = bytes, .element_bytes = element_bytes});
      ASSERT_TRUE(expected.ok());
      EXPECT_EQ(price.seconds, expected->time.seconds());
      EXPECT_EQ(price.algorithm, NameOf(expected->algorithm));
      EXPECT_EQ(price.ranks, 32);
      // 2 (n - 1) / n of the bytes, n = 32.
      EXPECT_DOUBLE_EQ(price.bus, static_cast<double>(bytes) / price.seconds /
                                      1e9 * 2 * 31 / 32);
    }
  }
}

TEST(SimPriceTest, EveryCollectiveHasOne) {
  const Slice slice = *FindSlice("v3-32");
  for (const auto collective :
       {words::Collective::reduce_scatter, words::Collective::all_gather,
        words::Collective::broadcast, words::Collective::all_to_all,
        words::Collective::barrier})
    for (const SimPrice& price :
         SimPricesOf(slice, PlanOf(slice, collective))) {
      EXPECT_THAT(price.missing, IsEmpty()) << collective;
      EXPECT_GT(price.seconds, 0) << collective;
    }
}

// On a grid without wraps a broadcast takes longer from a corner than from the
// middle; host 0 holds a corner, and of 8x8 chips host 5 (of 4x4) the middle.
TEST(SimPriceTest, ABroadcastBeginsAtItsRoot) {
  Slice slice = *FindSlice("v3-128");
  slice.wraps = {};
  JobPlan plan = PlanOf(slice, words::Collective::broadcast);
  BenchSpec& bench = *plan.mutable_spec()->mutable_bench();
  bench.set_ranks(words::RankKind::hosts);
  const auto from = [&](int root) {
    bench.clear_root();
    bench.add_root(root);
    return SimPricesOf(slice, plan).front().seconds;
  };
  EXPECT_GT(from(0), from(5));
}

// Both links of chip (1, 1) are cut.
TEST(SimPriceTest, WhatCannotBePricedSaysWhy) {
  Slice slice = *FindSlice("v3-8");
  slice.link_faults = {{.from = {1, 0}, .to = {1, 1}, .rate = 0},
                       {.from = {0, 1}, .to = {1, 1}, .rate = 0}};
  for (const SimPrice& price :
       SimPricesOf(slice, PlanOf(slice, words::Collective::all_reduce))) {
    EXPECT_NE(price.missing, "");
    EXPECT_EQ(price.seconds, 0);
  }
}

}  // namespace
}  // namespace podsim
