// What samples do not show of reduce and arg_max: NaN, zeros of both signs,
// integers that overflow, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

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

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

OpAttributes Over(const char* word, std::vector<std::int64_t> dimensions) {
  OpAttributes attributes;
  attributes.word = word;
  attributes.lists["dimensions"] = std::move(dimensions);
  return attributes;
}

double Folded(const char* word, const ValueType& type,
              const std::vector<double>& values) {
  return ValuesOf("reduce", {TensorOf(type, values)}, Over(word, {0})).at(0);
}

TEST(Reduce, FoldsEachKind) {
  const ValueType x = Plain({3});
  EXPECT_EQ(Folded("add", x, {1, 2, 4}), 7);
  EXPECT_EQ(Folded("multiply", x, {2, 3, 4}), 24);
  EXPECT_EQ(Folded("maximum", x, {1, 4, 2}), 4);
  EXPECT_EQ(Folded("minimum", x, {2, 1, 4}), 1);
  EXPECT_EQ(Folded("and", Plain({2}, DType::kInt32), {6, 3}), 2);
  EXPECT_EQ(Folded("or", Plain({2}, DType::kBool), {0, 1}), 1);
}

TEST(Reduce, ExtremesKeepNanAndOrderZeros) {
  EXPECT_TRUE(std::isnan(Folded("maximum", Plain({3}), {1, kNan, 2})));
  EXPECT_TRUE(std::isnan(Folded("minimum", Plain({2}), {kNan, 1})));
  EXPECT_FALSE(std::signbit(Folded("maximum", Plain({2}), {-0.0, 0.0})));
  EXPECT_TRUE(std::signbit(Folded("minimum", Plain({2}), {0.0, -0.0})));
}

TEST(Reduce, IntegersWrapAround) {
  constexpr double kMost = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(Folded("add", Plain({2}, DType::kInt32), {kMost, 1}), -kMost - 1);
  EXPECT_EQ(Folded("multiply", Plain({2}, DType::kInt32), {kMost, kMost}), 1);
}

TEST(ArgMax, TakesTheFirstOfEqualsAndOfNan) {
  OpAttributes attributes = Over("", {1});
  EXPECT_THAT(
      ValuesOf("arg_max",
               {TensorOf(Plain({3, 3}), {1, 2, 2, 3, 3, 1, 9, kNan, kNan})},
               attributes),
      ElementsAre(1, 0, 1));
}

TEST(ArgMax, TellsTheExtremesOfWholeNumbersApart) {
  constexpr double kLeast = std::numeric_limits<std::int32_t>::min();
  constexpr double kMost = std::numeric_limits<std::uint32_t>::max();
  const auto place = [](DType dtype, const std::vector<double>& values) {
    return ValuesOf("arg_max", {TensorOf(Plain({3}, dtype), values)},
                    Over("", {0}))
        .at(0);
  };
  EXPECT_EQ(place(DType::kInt32, {kLeast, -kLeast - 1, 0}), 1);
  EXPECT_EQ(place(DType::kInt32, {kLeast, kLeast, kLeast}), 0);
  EXPECT_EQ(place(DType::kUint32, {kMost - 1, 1, kMost}), 2);
  EXPECT_EQ(place(DType::kUint8, {127, 128, 255}), 2);
  EXPECT_EQ(place(DType::kBool, {0, 1, 1}), 1);
  EXPECT_EQ(place(DType::kBFloat16, {-1, kNan, 2}), 1);
}

TEST(Reduce, Refuses) {
  const auto expect = [](const ValueType& type, const OpAttributes& attributes,
                         const char* why) {
    EXPECT_THAT(InferTypes(OpCode("reduce"), std::vector{type}, attributes),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(why)));
  };
  expect(Plain({3}), Over("subtract", {0}), "cannot fold by 'subtract'");
  expect(Plain({3}), Over("and", {0}), "cannot fold float32 by and");
  expect(Plain({3}, DType::kBFloat16), Over("add", {0}),
         "cannot fold bfloat16 by add");
  expect(Plain({3}), Over("add", {1}), "not different ones of [0, 1)");
}

}  // namespace
}  // namespace podsim
