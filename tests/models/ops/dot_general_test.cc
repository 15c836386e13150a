// What samples do not show of dot_general: what it refuses, and by which words.
#include <gtest/gtest.h>

#include "models/ops/rules.h"
#include "tests/models/ops/use_op.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::StatusIs;
using ::podsim::testing::TensorOf;
using ::podsim::testing::ValuesOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr OpCode kDotGeneral("dot_general");

OpAttributes Contracting(std::vector<std::int64_t> left,
                         std::vector<std::int64_t> right) {
  OpAttributes attributes;
  attributes.lists["lhs_contracting_dimensions"] = std::move(left);
  attributes.lists["rhs_contracting_dimensions"] = std::move(right);
  return attributes;
}

void ExpectDotRefusal(const ValueType& left, const ValueType& right,
                      const OpAttributes& attributes, const char* why) {
  const std::vector<ValueType> inputs = {left, right};
  EXPECT_THAT(InferTypes(kDotGeneral, inputs, attributes),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(why)));
}

TEST(DotGeneral, MultipliesMatrices) {
  EXPECT_THAT(ValuesOf("dot_general",
                       {TensorOf(Plain({2, 3}), {1, 2, 3, 4, 5, 6}),
                        TensorOf(Plain({3, 2}), {1, 0, 0, 1, 1, 1})},
                       Contracting({1}, {0})),
              ElementsAre(4, 5, 10, 11));
}

TEST(DotGeneral, MultipliesMatricesInPairs) {
  OpAttributes attributes = Contracting({2}, {1});
  attributes.lists["lhs_batching_dimensions"] = {0};
  attributes.lists["rhs_batching_dimensions"] = {0};
  EXPECT_THAT(ValuesOf("dot_general",
                       {TensorOf(Plain({2, 1, 2}), {1, 2, 3, 4}),
                        TensorOf(Plain({2, 2, 1}), {1, 1, 10, 1})},
                       attributes),
              ElementsAre(3, 34));
}

TEST(DotGeneral, RefusesABatchSquared) {
  ExpectDotRefusal(Batched({3}), Batched({3}), Contracting({1}, {1}), "B x B");
}

TEST(DotGeneral, RefusesTheBatchBesideAFixedSize) {
  ExpectDotRefusal(Batched({3}), Plain({1, 5}), Contracting({0}, {0}),
                   "contracting dimension 0 of the left, B, is not 0 of the "
                   "right, 1");
  ExpectDotRefusal(BatchedAt(0, {8, 3}), Batched({5}), Contracting({0}, {0}),
                   "8*B");
}

TEST(DotGeneral, RefusesDimensionsThatItDoesNotHave) {
  ExpectDotRefusal(Plain({2, 3}), Plain({3, 2}), Contracting({2}, {0}),
                   "not different ones of [0, 2)");
  ExpectDotRefusal(Plain({3, 3}), Plain({3, 3}), Contracting({1, 1}, {0, 1}),
                   "not different ones of [0, 2)");
  ExpectDotRefusal(Plain({2, 3}), Plain({3, 2}), Contracting({1}, {}),
                   "1 contracting dimensions on the left and 0 on the right");
}

// 3 heads of 4 x 2 by 2 x 5, for each of 6 examples.
TEST(DotGeneral, CountsItsProducts) {
  OpAttributes attributes = Contracting({3}, {2});
  attributes.lists["lhs_batching_dimensions"] = {0, 1};
  attributes.lists["rhs_batching_dimensions"] = {0, 1};
  const std::vector<ValueType> inputs = {Batched({3, 4, 2}),
                                         Batched({3, 2, 5})};
  ASSERT_OK_AND_ASSIGN(const auto outputs,
                       InferTypes(kDotGeneral, inputs, attributes));
  const MatrixProduct product =
      CostOf(EntryOf(kDotGeneral), {inputs, outputs, attributes}, 6)
          .products.at(0);
  EXPECT_EQ(product.m, 4);
  EXPECT_EQ(product.n, 5);
  EXPECT_EQ(product.k, 2);
  EXPECT_EQ(product.count, 18);
}

}  // namespace
}  // namespace podsim
