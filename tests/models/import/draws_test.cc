// Draws of aligned functions: which bits each becomes, and of which shape.
#include "models/import/draws.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/import/flat_builder.h"
#include "models/import/random_keys.h"
#include "models/ops/rules.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr DType kBits = DType::kUint32;

class DrawsTest : public ::testing::Test {
 protected:
  int Called(const char* function, const std::vector<int>& operands,
             const ValueType& type) {
    const auto place = EmitKeyFunction(builder_, function, operands, type);
    EXPECT_TRUE(place.ok()) << place.status();
    return place.ok() ? *place : 0;
  }
  int Split(int key, const ValueType& keys) {
    return Called("podsim_split", {key}, keys);
  }
  int FoldIn(int key, int data, const ValueType& keys) {
    return Called("podsim_fold_in", {key, data}, keys);
  }
  int Draw(int key, const ValueType& bits) {
    return Called("podsim_random_bits", {key}, bits);
  }
  // Key `number` of those along dimension `axis`, which stays as 1.
  int Nth(int keys, std::size_t axis, std::int64_t number) {
    OpAttributes part;
    for (std::size_t i = 0; i < builder_.type(keys).shape.dims.size(); ++i) {
      part.lists["start_indices"].push_back(i == axis ? number : 0);
      part.lists["limit_indices"].push_back(
          i == axis ? number + 1 : builder_.type(keys).shape.dims[i]);
      part.lists["strides"].push_back(1);
    }
    const auto place = builder_.Emit("slice", {keys}, std::move(part));
    EXPECT_TRUE(place.ok()) << place.status();
    return place.ok() ? *place : 0;
  }
  int Number(double number) {
    return builder_.Constant(Plain({}, kBits), {number});
  }
  // The ops that make these draws.
  std::vector<FlatOp> Drawn(std::vector<int> draws) {
    builder_.function().results = std::move(draws);
    const auto function = WithDraws(builder_.function());
    EXPECT_TRUE(function.ok()) << function.status();
    std::vector<FlatOp> ops;
    if (!function.ok()) return ops;
    for (const FlatOp& op : function->ops)
      if (op.entry != nullptr) ops.push_back(op);
    return ops;
  }
  std::vector<std::string> Ops(int draw) {
    std::vector<std::string> names;
    for (const FlatOp& op : Drawn({draw})) names.emplace_back(op.entry->name);
    return names;
  }
  std::int64_t Site(int draw) {
    return Drawn({draw})[0].attributes.Int("site", -1);
  }
  std::int64_t SiteOfKey(int key) {
    return Site(Draw(key, Batched({8}, kBits)));
  }

  FlatBuilder builder_{/*shares=*/false};
  const int key_ = builder_.Parameter(Plain({2}, kBits));
};

TEST_F(DrawsTest, OpsKeepTheCallersWords) {
  builder_.SetPlace("train.py:7", "train.py:7: normal");
  const int draw = Draw(key_, Batched({8}, kBits));
  builder_.SetPlace("train.py:8", "train.py:8: add");
  const auto sum = builder_.Emit("add", {draw, draw}, {});
  ASSERT_THAT(sum, ::podsim::testing::IsOk());
  std::vector<std::string> words;
  for (const FlatOp& op : Drawn({*sum})) words.push_back(op.words);
  EXPECT_THAT(words, ElementsAre("train.py:7: normal", "train.py:8: add"));
}

TEST_F(DrawsTest, EqualKeysDrawEqualBitsAndOthersDoNot) {
  const auto half = [&](std::int64_t number) {
    return Nth(Split(key_, Plain({2, 2}, kBits)), 0, number);
  };
  EXPECT_EQ(SiteOfKey(half(0)), SiteOfKey(half(0)));
  EXPECT_NE(SiteOfKey(half(0)), SiteOfKey(half(1)));
  EXPECT_NE(SiteOfKey(half(0)), SiteOfKey(key_));
  const auto folded_in = [&](double number) {
    return FoldIn(key_, Number(number), Plain({2}, kBits));
  };
  EXPECT_EQ(SiteOfKey(folded_in(1048577)), SiteOfKey(folded_in(1048577)));
  EXPECT_NE(SiteOfKey(folded_in(1048577)), SiteOfKey(folded_in(1048579)));
}

// Plan hashes of jobs that draw have them in it.
TEST_F(DrawsTest, SitesStayWhatTheyWere) {
  EXPECT_EQ(SiteOfKey(key_), 1295333473);
  EXPECT_EQ(SiteOfKey(Nth(Split(key_, Plain({2, 2}, kBits)), 0, 1)),
            1304275248);
  EXPECT_EQ(SiteOfKey(FoldIn(key_, Number(7), Plain({2}, kBits))), 1730323654);
}

TEST_F(DrawsTest, AKeyForEachExampleMayBeSplitAgain) {
  const int keys = Split(key_, Batched({2}, kBits));
  const int pairs = Split(keys, Batched({2, 2}, kBits));
  const int first = Draw(Nth(pairs, 1, 0), Batched({1, 3}, kBits));
  const int second = Draw(Nth(pairs, 1, 1), Batched({1, 3}, kBits));
  const std::vector<FlatOp> ops = Drawn({first, second});
  ASSERT_EQ(ops.size(), 2U);
  for (const FlatOp& op : ops) {
    EXPECT_TRUE(op.Is("random_bits"));
    EXPECT_EQ(op.type, Batched({1, 3}, kBits));
  }
  EXPECT_NE(ops[0].attributes.Int("site", -1),
            ops[1].attributes.Int("site", -1));
  EXPECT_THAT(Ops(Draw(pairs, Batched({2, 3}, kBits))),
              ElementsAre("random_bits"))
      << "of all keys of an example at once";
}

// As the aligner leaves B of B + 1 keys.
TEST_F(DrawsTest, SomeOfMoreKeysThanExamplesAreTheExamplesOwn) {
  const int keys =
      builder_.Opaque({.entry = FindOp("slice"),
                       .operands = {Split(key_, Plain({6, 2}, kBits))},
                       .type = Batched({2}, kBits)});
  EXPECT_THAT(Ops(Draw(keys, Batched({3}, kBits))), ElementsAre("random_bits"));
}

TEST_F(DrawsTest, AKeyWithTheExamplesNumberFoldedInIsItsOwn) {
  FlatOp count{.entry = FindOp("iota"), .type = Batched({}, kBits)};
  count.attributes.shape = count.type.shape;
  count.attributes.lists["iota_dimension"] = {0};
  const int number = builder_.Opaque(count);
  const int keys = FoldIn(key_, number, Batched({2}, kBits));
  EXPECT_THAT(Ops(Draw(keys, Batched({3}, kBits))), ElementsAre("random_bits"));
}

TEST_F(DrawsTest, TheBatchMayStandAnywhereInADraw) {
  EXPECT_THAT(Ops(Draw(key_, Batched({3}, kBits))), ElementsAre("random_bits"));
  const std::vector<FlatOp> behind =
      Drawn({Draw(key_, BatchedAt(1, {4, 1, 3}, kBits))});
  ASSERT_EQ(behind.size(), 2U);
  EXPECT_EQ(behind[0].type, Batched({4, 3}, kBits));
  EXPECT_TRUE(behind[1].Is("transpose"));
  EXPECT_EQ(behind[1].type, BatchedAt(1, {4, 1, 3}, kBits));
  const std::vector<FlatOp> several =
      Drawn({Draw(key_, BatchedAt(0, {5, 3}, kBits))});
  ASSERT_EQ(several.size(), 2U);
  EXPECT_EQ(several[0].type, Batched({5, 3}, kBits));
  EXPECT_TRUE(several[1].Is("Reshape"));
  EXPECT_EQ(several[1].type, BatchedAt(0, {5, 3}, kBits));
  EXPECT_THAT(Ops(Draw(key_, BatchedAt(1, {4, 5}, kBits))),
              ElementsAre("random_bits", "transpose", "Reshape"));
  const int keys = Split(key_, Plain({4, 2}, kBits));
  EXPECT_THAT(Ops(Draw(keys, BatchedAt(1, {4, 1, 3}, kBits))),
              ElementsAre("random_bits", "transpose"))
      << "several keys, each for all examples";
}

TEST_F(DrawsTest, WhatKnowsNoExampleIsSharedByAllOfAStep) {
  const std::vector<FlatOp> ops = Drawn({Draw(key_, Plain({1, 3}, kBits))});
  ASSERT_EQ(ops.size(), 1U);
  EXPECT_TRUE(ops[0].Is("shared_random_bits"));
  EXPECT_EQ(ops[0].type, Plain({1, 3}, kBits));
  OpAttributes spread;
  spread.shape = Batched({2}).shape;
  spread.lists["broadcast_dimensions"] = {1};
  const auto same = builder_.Emit("broadcast_in_dim", {key_}, spread);
  ASSERT_TRUE(same.ok()) << same.status();
  EXPECT_THAT(Ops(Draw(*same, Batched({3}, kBits))),
              ElementsAre("shared_random_bits", "broadcast_in_dim"))
      << "one key that is repeated for each example";
  spread.shape = {{4, 2}, 0};
  const auto rows = builder_.Emit("broadcast_in_dim", {key_}, spread);
  ASSERT_TRUE(rows.ok()) << rows.status();
  builder_.function().results = {Draw(*rows, BatchedAt(0, {4, 3}, kBits))};
  EXPECT_THAT(WithDraws(builder_.function()),
              StatusIs(absl::StatusCode::kUnimplemented,
                       AllOf(HasSubstr("a draw of jax.random"),
                             HasSubstr("split the key"))));
}

TEST_F(DrawsTest, KnowsItsFunctionsByTheirNames) {
  EXPECT_FALSE(
      EmitKeyFunction(builder_, "podsim_random_bits", {key_}, Batched({8}))
          .ok());
  EXPECT_EQ(KeyFunctionOf("podsim_random_bits_3.17"), "podsim_random_bits");
  EXPECT_EQ(KeyFunctionOf("random_bits"), "");
}

}  // namespace
}  // namespace podsim
