// What samples do not show of arg_sort: NaN, zeros of both signs, and what is
// refused.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "models/ops/rules.h"
#include "tests/models/ops/use_op.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::podsim::testing::TensorOf;
using ::podsim::testing::ValuesOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

OpAttributes Along(const char* word, std::int64_t dimension) {
  OpAttributes attributes;
  attributes.word = word;
  attributes.lists["dimension"] = {dimension};
  return attributes;
}

// What JAX 0.10.2 says of these numbers, argsort and top_k of all.
TEST(ArgSort, OrdersZerosAndNanAsJaxDoes) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor x = TensorOf(Plain({9}), {-0.0, 0.0, nan, std::copysign(nan, -1),
                                         1, -1, 0.0, -0.0, infinity});
  EXPECT_THAT(ValuesOf("arg_sort", {x}, Along("LT", 0)),
              ElementsAre(5, 0, 1, 6, 7, 4, 8, 2, 3));
  EXPECT_THAT(ValuesOf("arg_sort", {x}, Along("GT", 0)),
              ElementsAre(2, 8, 4, 1, 6, 0, 7, 5, 3));
}

TEST(ArgSort, SortsEachLineAlongItsDimension) {
  const Tensor x = TensorOf(Plain({2, 3}, DType::kInt32), {3, 1, 2, 1, 1, 9});
  EXPECT_THAT(ValuesOf("arg_sort", {x}, Along("LT", 1)),
              ElementsAre(1, 2, 0, 0, 1, 2));
  EXPECT_THAT(ValuesOf("arg_sort", {x}, Along("GT", 0)),
              ElementsAre(0, 0, 1, 1, 1, 0));
}

TEST(ArgSort, Refuses) {
  const auto expect = [](const ValueType& type, const OpAttributes& attributes,
                         const char* why) {
    EXPECT_THAT(InferTypes(OpCode("arg_sort"), std::vector{type}, attributes),
                StatusIs(kInvalid, HasSubstr(why)));
  };
  expect(Plain({3}), Along("GE", 0), "cannot sort by 'GE'");
  expect(Plain({3}), Along("LT", 1), "not different ones of [0, 1)");
  expect(Plain({3}), {.word = "LT"}, "must have 1 numbers");
  expect(Batched({3}), Along("LT", 0), "dimension 0 has the batch");
}

}  // namespace
}  // namespace podsim
