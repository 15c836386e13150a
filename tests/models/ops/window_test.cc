// Pools whose results are known, and what is refused.
#include <gtest/gtest.h>

#include <limits>

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

OpAttributes Windows(const char* word, std::int64_t size, std::int64_t stride) {
  OpAttributes attributes;
  attributes.word = word;
  attributes.lists["window_dimensions"] = {size};
  attributes.lists["window_strides"] = {stride};
  return attributes;
}

TEST(ReduceWindow, FoldsWhatItShows) {
  const Tensor x = TensorOf(Plain({5}), {1, 5, 2, 4, 3});
  EXPECT_THAT(ValuesOf("reduce_window", {x}, Windows("add", 2, 1)),
              ElementsAre(6, 7, 6, 7));
  EXPECT_THAT(ValuesOf("reduce_window", {x}, Windows("maximum", 3, 2)),
              ElementsAre(5, 4));
  EXPECT_THAT(ValuesOf("reduce_window", {x}, Windows("minimum", 1, 4)),
              ElementsAre(1, 3));
}

TEST(ReduceWindow, PaddingIsNeutral) {
  OpAttributes attributes = Windows("maximum", 2, 2);
  attributes.lists["padding_low"] = {2};
  const double lowest = -std::numeric_limits<double>::infinity();
  EXPECT_THAT(
      ValuesOf("reduce_window", {TensorOf(Plain({2}), {-1, -2})}, attributes),
      ElementsAre(lowest, -1));
}

TEST(SelectAndScatter, AddsWhereWindowsSelectTheFirstOfEquals) {
  EXPECT_THAT(ValuesOf("select_and_scatter",
                       {TensorOf(Plain({4}), {1, 3, 3, 2}),
                        TensorOf(Plain({3}), {1, 10, 100})},
                       Windows("GE", 2, 1)),
              ElementsAre(0, 11, 100, 0));
  EXPECT_THAT(ValuesOf("select_and_scatter",
                       {TensorOf(Plain({4}), {1, 3, 3, 2}),
                        TensorOf(Plain({3}), {1, 10, 100})},
                       Windows("GT", 2, 1)),
              ElementsAre(0, 1, 110, 0));
}

TEST(ReduceWindow, Refuses) {
  const auto expect = [](const ValueType& type, const OpAttributes& attributes,
                         const char* why) {
    EXPECT_THAT(
        InferTypes(OpCode("reduce_window"), std::vector{type}, attributes),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(why)));
  };
  expect(Batched({}), Windows("add", 2, 1), "over the batch dimension");
  expect(Plain({3}), Windows("multiply", 2, 1), "add, maximum and minimum");
  expect(Plain({3}), Windows("add", 4, 1), "does not fit dimension 0");
  expect(Plain({3}), Windows("add", 2, 0), "must be positive");
  expect(Plain({3, 3}), Windows("add", 2, 1),
         "window_dimensions has 1 entries for 2 dimensions");
}

}  // namespace
}  // namespace podsim
