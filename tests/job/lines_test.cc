// Which hosts send to which.
#include "job/lines.h"

#include <gtest/gtest.h>

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

JobPlan PlanWith(const std::string& algorithm, std::int64_t count) {
  JobPlan plan;
  PlanBits& bits = *plan.mutable_bits();
  bits.set_hosts(4);
  bits.set_host_rows(2);
  bits.set_host_columns(2);
  for (const int host : {0, 1, 3, 2}) bits.add_ring(host);
  Bucket& bucket = *bits.add_buckets();
  bucket.set_algorithm(algorithm);
  bucket.set_count(count);
  plan.set_chunk_elements(1024);
  return plan;
}

TEST(LinesTest, OfARing) {
  ASSERT_OK_AND_ASSIGN(const auto lines, LinesOf(PlanWith("ring", 100'000)));
  EXPECT_EQ(lines, (std::set<Line>{{0, 1}, {1, 3}, {3, 2}, {2, 0}}));
}

// Partners at distances 1 and 2: never across.
TEST(LinesTest, OfHalvingDoubling) {
  for (const std::int64_t count : {100, 100'000}) {
    ASSERT_OK_AND_ASSIGN(const auto lines,
                         LinesOf(PlanWith("halving_doubling", count)));
    EXPECT_EQ(
        lines,
        (std::set<Line>{
            {0, 1}, {1, 0}, {2, 3}, {3, 2}, {0, 2}, {2, 0}, {1, 3}, {3, 1}}));
  }
}

TEST(LinesTest, OfAllBucketsTogether) {
  JobPlan plan = PlanWith("ring", 100);
  *plan.mutable_bits()->add_buckets() =
      PlanWith("direct", 100).bits().buckets(0);
  ASSERT_OK_AND_ASSIGN(const auto lines, LinesOf(plan));
  EXPECT_EQ(lines.size(), 12u);
}

// Within each group of two neighbours alone.
TEST(LinesTest, OfASumOverGroupsOfHosts) {
  JobPlan plan = PlanWith("ring", 100);
  plan.mutable_bits()->clear_buckets();
  Exchange& exchange = *plan.mutable_bits()->add_exchanges();
  exchange.set_algorithm("halving_doubling");
  exchange.set_count(10);
  exchange.set_group(2);
  ASSERT_OK_AND_ASSIGN(const auto pairs, LinesOf(plan));
  EXPECT_EQ(pairs, (std::set<Line>{{0, 1}, {1, 0}, {2, 3}, {3, 2}}));
  exchange.set_group(1);
  ASSERT_OK_AND_ASSIGN(const auto none, LinesOf(plan));
  EXPECT_TRUE(none.empty());
  exchange.set_group(4);
  exchange.set_algorithm("ring");
  ASSERT_OK_AND_ASSIGN(const auto all, LinesOf(plan));
  EXPECT_EQ(all, (std::set<Line>{{0, 1}, {1, 3}, {3, 2}, {2, 0}}));
}

TEST(LinesTest, UnknownAlgorithmsAreErrors) {
  EXPECT_THAT(LinesOf(PlanWith("smoke", 1)),
              testing::StatusIs(absl::StatusCode::kInvalidArgument,
                                ::testing::HasSubstr("smoke")));
}

}  // namespace
}  // namespace podsim
