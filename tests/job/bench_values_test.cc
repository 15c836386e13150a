// Inputs are so made that every order of every reduction gives the expected
// bits, and so that what is wrong is seen.
#include "job/bench_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "interconnect/collectives/reduce.h"

namespace podsim {
namespace {

struct ValuesCase {
  ElementType type;
  ElementType wire;
  BenchOp op;
  int ranks;
};

std::vector<ValuesCase> AllCases() {
  std::vector<ValuesCase> cases;
  const std::pair<ElementType, ElementType> types[] = {
      {ElementType::kFloat32, ElementType::kFloat32},
      {ElementType::kFloat32, ElementType::kBfloat16},
      {ElementType::kBfloat16, ElementType::kBfloat16},
      {ElementType::kInt32, ElementType::kInt32}};
  for (const auto& [type, wire] : types) {
    for (const BenchOp op : {BenchOp::kSum, BenchOp::kProd, BenchOp::kMin,
                             BenchOp::kMax, BenchOp::kAvg}) {
      for (const int ranks : {1, 2, 3, 32, 256, 300, 2048}) {
        cases.push_back({type, wire, op, ranks});
      }
    }
  }
  return cases;
}

// Rounds a float32 partial result as a narrow wire does.
void Travel(const ValuesCase& param, ValueBlock& block) {
  if (param.type == param.wire) return;
  ValueBlock narrow(block.size() / 2);
  RoundToWire(block, /*keep=*/true, narrow);
}

// Two buffers combined by the arithmetic that collectives use.
ValueBlock Combine(const ValuesCase& param, ValueBlock a, ValueBlock b) {
  Travel(param, a);
  Travel(param, b);
  ReduceLocal({param.type, ReductionOf(param.op), param.type}, a, b);
  return b;
}

class ReducedValuesTest : public ::testing::TestWithParam<ValuesCase> {
 protected:
  const std::int64_t elements_ = GetParam().ranks > 32 ? 100 : 500;
  BenchValues values() const {
    const ValuesCase& param = GetParam();
    return {param.type, param.wire, param.op, param.ranks};
  }
  std::vector<ValueBlock> Inputs(std::int64_t first) const {
    std::vector<ValueBlock> inputs;
    for (int rank = 0; rank < GetParam().ranks; ++rank) {
      inputs.push_back(InputBlock(values(), rank, first, elements_));
    }
    return inputs;
  }
  ValueBlock Finished(ValueBlock block) const {
    if (GetParam().op == BenchOp::kAvg) {
      DivideBy(GetParam().ranks, GetParam().type, block);
    }
    return block;
  }
};

TEST_P(ReducedValuesTest, EveryOrderGivesTheExpectedBits) {
  constexpr std::int64_t kFirst =
      7 * kPeriod + 65'500;  // across a period's end
  const ValueBlock expected = ReducedBlock(values(), kFirst, elements_);
  const std::vector<ValueBlock> inputs = Inputs(kFirst);

  ValueBlock forward = inputs.front();
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    forward = Combine(GetParam(), inputs[i], forward);
  }
  EXPECT_EQ(Finished(forward), expected);

  ValueBlock backward = inputs.back();
  for (std::size_t i = inputs.size() - 1; i > 0; --i) {
    backward = Combine(GetParam(), inputs[i - 1], backward);
  }
  EXPECT_EQ(Finished(backward), expected);

  std::vector<ValueBlock> tree = inputs;
  while (tree.size() > 1) {
    std::vector<ValueBlock> next;
    for (std::size_t i = 0; i + 1 < tree.size(); i += 2) {
      next.push_back(Combine(GetParam(), tree[i], tree[i + 1]));
    }
    if (tree.size() % 2 == 1) next.push_back(tree.back());
    tree = std::move(next);
  }
  EXPECT_EQ(Finished(tree[0]), expected);
}

TEST_P(ReducedValuesTest, AMissingOrDoubledRankShows) {
  const ValuesCase& param = GetParam();
  if (param.ranks == 1) return;  // nothing to leave out
  const ValueBlock expected = ReducedBlock(values(), 0, elements_);
  const std::vector<ValueBlock> inputs = Inputs(0);
  // Of a minimum or maximum only those ranks have a say that reach it.
  int seen = 0;
  const int tried = std::min(param.ranks, 8);
  for (int left_out = 0; left_out < tried; ++left_out) {
    ValueBlock result = inputs[left_out == 0 ? 1 : 0];
    for (int rank = left_out == 0 ? 2 : 1; rank < param.ranks; ++rank) {
      if (rank != left_out) result = Combine(param, inputs[rank], result);
    }
    if (Finished(result) != expected) ++seen;
  }
  const bool extremes = param.op == BenchOp::kMin || param.op == BenchOp::kMax;
  EXPECT_GE(seen, extremes && param.ranks > 32 ? 0 : tried);
}

std::string NameOfCase(const ::testing::TestParamInfo<ValuesCase>& info) {
  const ValuesCase& param = info.param;
  std::string name(NameOf(param.type));
  if (param.wire != param.type) name += "_narrow";
  return name + "_" + std::string(NameOf(param.op)) + "_" +
         std::to_string(param.ranks);
}

INSTANTIATE_TEST_SUITE_P(All, ReducedValuesTest,
                         ::testing::ValuesIn(AllCases()), NameOfCase);

TEST(InputBlockTest, RepeatsAfterThePeriodOnly) {
  const BenchValues values = {.op = BenchOp::kSum, .ranks = 4};
  const ValueBlock start = InputBlock(values, 1, 0, 100);
  EXPECT_EQ(InputBlock(values, 1, kPeriod, 100), start);
  for (const std::int64_t shift : {1, 128, 4096, 65'536, 16'384'000}) {
    EXPECT_NE(InputBlock(values, 1, shift, 100), start) << shift;
  }
  for (const int rank : {0, 2, 3}) {
    EXPECT_NE(InputBlock(values, rank, 0, 100), start) << rank;
  }
  EXPECT_EQ(InputBlock(values, 1, 0, 3 * kPeriod).size(),
            static_cast<std::size_t>(kPeriod) * sizeof(float));
}

TEST(FillWithTest, WhatIsFilledIsRightAndWhatIsChangedIsCounted) {
  const BenchValues values = {.op = BenchOp::kNone, .ranks = 3};
  const std::int64_t elements = 2 * kPeriod + 321;
  const ValueBlock block = InputBlock(values, 2, 5, elements);
  std::vector<std::byte> buffer(static_cast<std::size_t>(elements) * 4);
  FillWith(block, 0, values.type, buffer);
  EXPECT_EQ(CountDifferent(block, 0, values.type, buffer), 0);
  for (const std::int64_t at : {std::int64_t{0}, kPeriod, elements - 1}) {
    buffer[static_cast<std::size_t>(at) * 4 + 1] ^= std::byte{1};
  }
  EXPECT_EQ(CountDifferent(block, 0, values.type, buffer), 3);
}

TEST(FillWithTest, ABlockMayBeginAnywhere) {
  const BenchValues values = {.type = ElementType::kBfloat16, .ranks = 2};
  constexpr std::int64_t kFirst = 3 * kPeriod + 60'000;
  constexpr std::int64_t kCount = 100'000;
  const ValueBlock whole = InputBlock(values, 1, 0, kPeriod);
  std::vector<std::byte> buffer(static_cast<std::size_t>(kCount) * 2);
  FillWith(InputBlock(values, 1, kFirst, kCount), 0, values.type, buffer);
  EXPECT_EQ(CountDifferent(whole, kFirst, values.type, buffer), 0);
  EXPECT_GT(CountDifferent(whole, kFirst + 1, values.type, buffer), kCount / 2);
}

TEST(FillWithTest, NothingIsNothing) {
  FillWith({}, 0, ElementType::kInt32, {});
  EXPECT_EQ(CountDifferent({}, 0, ElementType::kInt32, {}), 0);
}

TEST(DivideByTest, DividesAsEachTypeDoes) {
  std::vector<float> floats = {6, -5, 1};
  DivideBy(3, ElementType::kFloat32, std::as_writable_bytes(std::span(floats)));
  EXPECT_EQ(floats, (std::vector<float>{2, -5.0F / 3, 1.0F / 3}));
  std::vector<std::int32_t> ints = {7, -7, 6};
  DivideBy(3, ElementType::kInt32, std::as_writable_bytes(std::span(ints)));
  EXPECT_EQ(ints, (std::vector<std::int32_t>{2, -2, 2}));
  // 10 / 3 = 3.333 lies between the bfloat16 values 3.328125 and 3.34375.
  std::vector<std::uint16_t> halves = {0x4120};
  DivideBy(3, ElementType::kBfloat16,
           std::as_writable_bytes(std::span(halves)));
  EXPECT_EQ(std::bit_cast<float>(std::uint32_t{halves[0]} << 16), 3.328125F);
}

}  // namespace
}  // namespace podsim
