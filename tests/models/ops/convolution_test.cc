// Convolutions whose results are known, and what is refused.
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

// One spatial dimension: [N, W, C] by [W, I, O].
OpAttributes Line() {
  OpAttributes attributes;
  attributes.lists = {{"input_batch_dimension", {0}},
                      {"input_spatial_dimensions", {1}},
                      {"input_feature_dimension", {2}},
                      {"kernel_spatial_dimensions", {0}},
                      {"kernel_input_feature_dimension", {1}},
                      {"kernel_output_feature_dimension", {2}},
                      {"output_batch_dimension", {0}},
                      {"output_spatial_dimensions", {1}},
                      {"output_feature_dimension", {2}}};
  return attributes;
}

std::vector<double> Convolved(const OpAttributes& attributes) {
  return ValuesOf("convolution",
                  {TensorOf(Plain({1, 4, 1}), {1, 2, 3, 4}),
                   TensorOf(Plain({2, 1, 1}), {10, 1})},
                  attributes);
}

TEST(Convolution, DoesNotTurnItsKernel) {
  EXPECT_THAT(Convolved(Line()), ElementsAre(12, 23, 34));
}

TEST(Convolution, PadsStridesAndDilates) {
  OpAttributes attributes = Line();
  attributes.lists["padding_low"] = {1};
  attributes.lists["padding_high"] = {1};
  EXPECT_THAT(Convolved(attributes), ElementsAre(1, 12, 23, 34, 40));
  attributes.lists["window_strides"] = {2};
  EXPECT_THAT(Convolved(attributes), ElementsAre(1, 23, 40));
  attributes = Line();
  attributes.lists["rhs_dilation"] = {3};
  EXPECT_THAT(Convolved(attributes), ElementsAre(14));
  attributes = Line();
  attributes.lists["lhs_dilation"] = {2};
  EXPECT_THAT(Convolved(attributes), ElementsAre(10, 2, 20, 3, 30, 4));
}

void ExpectRefusal(const ValueType& input, const ValueType& kernel,
                   const OpAttributes& attributes, const char* why) {
  const std::vector<ValueType> inputs = {input, kernel};
  EXPECT_THAT(InferTypes(OpCode("convolution"), inputs, attributes),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(why)));
}

TEST(Convolution, Refuses) {
  const ValueType input = Batched({5, 2});
  const ValueType kernel = Plain({3, 2, 4});
  ExpectRefusal(BatchedAt(1, {4, 5, 2}), kernel, Line(),
                "no window can move over the batch");
  ExpectRefusal(input, BatchedAt(2, {3, 2, 4}), Line(), "B x B");
  ExpectRefusal(input, Plain({3, 3, 4}), Line(),
                "the input's 2 features are not the kernel's 3 in 1 group");
  ExpectRefusal(input, Plain({6, 2, 4}), Line(),
                "does not fit spatial dimension 0");
  OpAttributes attributes = Line();
  attributes.lists["batch_group_count"] = {2};
  ExpectRefusal(BatchedAt(0, {2, 5, 2}), kernel, attributes,
                "the batch dimension cannot be cut into groups");
  attributes = Line();
  attributes.lists["window_strides"] = {0};
  ExpectRefusal(input, kernel, attributes, "must be positive");
  attributes.lists["window_strides"] = {1, 1};
  ExpectRefusal(input, kernel, attributes,
                "window_strides has 2 entries for 1 spatial dimensions");
  attributes = Line();
  attributes.lists["output_spatial_dimensions"] = {2};
  ExpectRefusal(input, kernel, attributes, "the output's dimension numbers");
}

}  // namespace
}  // namespace podsim
