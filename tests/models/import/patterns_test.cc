// What a framework lowered is read as the ops with the fastest kernels, and as
// nothing else where it is not quite that.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "models/import/simplify.h"
#include "models/ops/rules.h"
#include "tests/models/import/patterns_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(PatternsTest, ProductsOfMatrices) {
  EXPECT_THAT(Left(Dot(x_, 1, w_, 0)), ElementsAre("MatMul"));
  const int y = builder_.Parameter(Batched({4}));
  EXPECT_THAT(Left(Dot(y, 1, w_, 1)), ElementsAre("MatMulGradInput"));
  EXPECT_THAT(Left(Dot(x_, 0, y, 0)), ElementsAre("MatMulGradWeight"));
  OpAttributes swap;
  swap.lists["permutation"] = {1, 0};
  EXPECT_THAT(Left(Emit("transpose", {Dot(y, 0, x_, 0)}, std::move(swap))),
              ElementsAre("MatMulGradWeight"));
  // Summed over the batch on one side alone it would be another product.
  EXPECT_THAT(Left(Dot(w_, 0, x_, 1)), ElementsAre("dot_general"));
}

TEST_F(PatternsTest, BiasReluAndItsGradient) {
  const int bias = builder_.Parameter(Plain({6}));
  OpAttributes rows;
  rows.shape = builder_.type(x_).shape;
  rows.lists["broadcast_dimensions"] = {1};
  const int spread = Emit("broadcast_in_dim", {bias}, rows);
  const int sum = Emit("add", {spread, x_});
  EXPECT_THAT(Left(sum), ElementsAre("AddBias"));
  const int zeros = Number(0, builder_.type(x_).shape);
  EXPECT_THAT(Left(Emit("maximum", {x_, zeros})), ElementsAre("Relu"));
  EXPECT_THAT(Left(Emit("maximum", {x_, Number(1, builder_.type(x_).shape)})),
              ElementsAre("constant", "maximum"));
  const auto gradient = [&](const char* word) {
    OpAttributes compare;
    compare.word = word;
    const int where = Emit("compare", {x_, zeros}, std::move(compare));
    return Emit("select", {where, sum, zeros});
  };
  EXPECT_THAT(Left(gradient("GT")), ElementsAre("AddBias", "Relu", "ReluGrad"))
      << "of what Relu made, which is kept anyway";
  EXPECT_THAT(Left(gradient("GE")),
              ElementsAre("AddBias", "constant", "compare", "select"));
}

TEST_F(PatternsTest, ShapesThatComeAndGo) {
  OpAttributes there;
  there.shape = {{6, 4, 1}};
  OpAttributes back;
  back.shape = {{6, 4}};
  const int column = Emit("Reshape", {w_}, std::move(there));
  EXPECT_THAT(Left(Emit("Reshape", {column}, std::move(back))), IsEmpty());
  OpAttributes one;
  one.word = "add";
  one.lists["dimensions"] = {2};
  EXPECT_THAT(Left(Emit("reduce", {column}, one)), IsEmpty());
}

TEST_F(PatternsTest, EachExamplesOwnRow) {
  FlatOp iota{.entry = FindOp("iota"), .type = {DType::kInt32, {{1, 1}, 0}}};
  iota.attributes.shape = iota.type.shape;
  iota.attributes.dtype = DType::kInt32;
  iota.attributes.lists["iota_dimension"] = {0};
  const int count = builder_.Opaque(iota);
  const int label = builder_.Parameter({DType::kInt32, {{1, 1}, 0}});
  OpAttributes places;
  places.lists["collapsed_slice_dims"] = {0, 1};
  places.lists["start_index_map"] = {0, 1};
  places.lists["index_vector_dim"] = {1};
  places.lists["slice_sizes"] = {1, 1};
  // As it was lowered: no op of podsim's takes it with the batch left open.
  const auto gather = [&](const std::vector<int>& indices) {
    OpAttributes beside;
    beside.lists["dimension"] = {1};
    const int vectors = Emit("concatenate", indices, std::move(beside));
    return builder_.Opaque({.entry = FindOp("gather"),
                            .operands = {x_, vectors},
                            .type = Batched({}),
                            .attributes = places});
  };
  EXPECT_THAT(Left(gather({count, label})), ElementsAre("gather"));
  OpAttributes column;
  column.shape = {{1, 1, 1}, 0};
  const int zeros = builder_.Constant({DType::kInt32, column.shape}, {0});
  OpAttributes less;
  less.word = "LT";
  const int counts = Emit("Reshape", {count}, std::move(column));
  EXPECT_THAT(Left(Emit("compare", {counts, zeros}, std::move(less))),
              ElementsAre("constant"))
      << "x[arange(B)[:, None], i] counts under another shape";
  builder_.function().results = {gather({label, count})};
  EXPECT_THAT(Simplified(builder_.function()),
              testing::StatusIs(absl::StatusCode::kInvalidArgument,
                                HasSubstr("dimension 0 is indexed")));
}

TEST_F(PatternsTest, OnePlaceThatIsKnownIsASliceOrPadding) {
  const int place = builder_.Constant({DType::kInt32, Shape{{1}}}, {3});
  OpAttributes column;
  column.lists["offset_dims"] = {0};
  column.lists["collapsed_slice_dims"] = {1};
  column.lists["start_index_map"] = {1};
  column.lists["index_vector_dim"] = {0};
  column.lists["slice_sizes"] = {6, 1};
  EXPECT_THAT(Left(Emit("gather", {w_, place}, column)),
              ElementsAre("slice", "Reshape"));
  OpAttributes into;
  into.word = "add";
  into.lists["update_window_dims"] = {0};
  into.lists["inserted_window_dims"] = {1};
  into.lists["scatter_dims_to_operand_dims"] = {1};
  into.lists["index_vector_dim"] = {0};
  const int updates = builder_.Parameter(Plain({6}));
  const auto scattered = [&](int operand, int at) {
    return Emit("scatter", {operand, at, updates}, into);
  };
  const int zeros = Number(0, {{6, 4}});
  EXPECT_THAT(Left(scattered(zeros, place)),
              ElementsAre("Reshape", "constant", "pad"));
  EXPECT_THAT(Left(scattered(w_, place)), Contains("scatter"));
  const int beyond = builder_.Constant({DType::kInt32, Shape{{1}}}, {4});
  EXPECT_THAT(Left(scattered(zeros, beyond)), Contains("scatter"))
      << "what lies beyond is dropped";
}

}  // namespace
}  // namespace podsim
