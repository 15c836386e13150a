// A specification's cases: sizes, their order, and shares of equal length.
#include "job/bench_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "settings/words.h"
#include "tests/host/bench/bench_pod.h"

namespace podsim::testing {
namespace {

using ::testing::ElementsAre;

TEST(BenchSizesTest, GrowByAFactorOrByAStep) {
  EXPECT_THAT(BenchSizes(BenchSpecOf("minbytes: 1024 maxbytes: 70000 "
                                     "stepfactor: 4")),
              ElementsAre(1024, 4096, 16384, 65536));
  EXPECT_THAT(BenchSizes(BenchSpecOf("minbytes: 0 maxbytes: 25 stepbytes: 10")),
              ElementsAre(0, 10, 20));
  EXPECT_THAT(BenchSizes(BenchSpecOf("minbytes: 8 maxbytes: 8 stepfactor: 2")),
              ElementsAre(8));
}

TEST(BenchCasesTest, RunByAlgorithmTypeOperationAndSize) {
  const auto cases =
      BenchCases(BenchSpecOf("collective: all_reduce algorithm: [ring, direct] "
                             "datatype: [float, bfloat16] op: [sum, max] "
                             "minbytes: 8 maxbytes: 16 stepbytes: 8"),
                 4);
  ASSERT_EQ(cases.size(), 16u);
  EXPECT_EQ(cases[0].algorithm, "ring");
  EXPECT_EQ(cases[0].bytes, 8);
  EXPECT_EQ(cases[1].bytes, 16);
  EXPECT_EQ(cases[2].op, BenchOp::kMax);
  EXPECT_EQ(cases[4].type, ElementType::kBfloat16);
  EXPECT_EQ(cases[8].algorithm, "direct");
  for (const BenchCase& one : cases) EXPECT_EQ(one.root, -1);
}

TEST(BenchCasesTest, SizesAreRoundedDownToWholeElements) {
  const auto cases = BenchCases(
      BenchSpecOf("collective: all_reduce minbytes: 1003 maxbytes: 1003"), 3);
  ASSERT_EQ(cases.size(), 1u);
  EXPECT_EQ(cases[0].elements, 250);
  EXPECT_EQ(cases[0].count, 250);
  EXPECT_EQ(cases[0].bytes, 1000);
}

TEST(BenchCasesTest, SharesAreEqual) {
  for (const char* collective :
       {"reduce_scatter", "all_gather", "all_to_all"}) {
    BenchSpec spec = BenchSpecOf("minbytes: 1000 maxbytes: 1000");
    spec.set_collective(*WordNamed<words::Collective::Word>(collective));
    const auto cases = BenchCases(spec, 3);
    ASSERT_EQ(cases.size(), 1u);
    EXPECT_EQ(cases[0].count, 83);
    EXPECT_EQ(cases[0].elements, 249);
    EXPECT_EQ(cases[0].bytes, 996);
  }
}

TEST(BenchCasesTest, OnlyABroadcastHasRootsAndOnlyReductionsOperations) {
  const auto cases = BenchCases(
      BenchSpecOf("collective: broadcast op: [sum, prod] root: [0, 2] "
                  "minbytes: 8 maxbytes: 8"),
      4);
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_EQ(cases[0].root, 0);
  EXPECT_EQ(cases[1].root, 2);
  EXPECT_EQ(cases[0].op, BenchOp::kNone);
}

TEST(BenchCasesTest, ABarrierHasNoSize) {
  const auto cases =
      BenchCases(BenchSpecOf("collective: barrier minbytes: 8 maxbytes: 64 "
                             "stepbytes: 8 datatype: [float, int32]"),
                 4);
  ASSERT_EQ(cases.size(), 1u);
  EXPECT_EQ(cases[0].bytes, 0);
}

TEST(BenchCasesTest, RanksAreHostsOrCores) {
  EXPECT_EQ(BenchRanks(BenchPlan("v3-32", 4, BenchSpecOf(""))), 4);
  EXPECT_EQ(BenchRanks(BenchPlan("v3-32", 4, BenchSpecOf("ranks: cores"))), 32);
}

TEST(BenchOpTest, NamesComeBack) {
  for (const BenchOp op : {BenchOp::kNone, BenchOp::kSum, BenchOp::kProd,
                           BenchOp::kMin, BenchOp::kMax, BenchOp::kAvg}) {
    EXPECT_EQ(BenchOpNamed(NameOf(op)), op);
  }
  EXPECT_EQ(BenchOpNamed("mean"), std::nullopt);
}

}  // namespace
}  // namespace podsim::testing
