// The builder: types, names and latched errors.
#include "models/graph/graph.h"

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Graph, KnowsTypesAndNames) {
  Graph g("toy");
  const Value x = g.Features({{4, 4}});
  const Value flat = g.Reshape(x, {{16}});
  const Value w = g.Variable("w", {{16, 3}}, Initializer::kHeNormal);
  const Value y = g.MatMul(flat, w, "layer/matmul");
  const auto head = g.SoftmaxXent(y, g.Labels());
  ASSERT_THAT(g.status(), IsOk());
  EXPECT_EQ(ToString(g.type(x)), "[B, 4, 4]");
  EXPECT_EQ(ToString(g.type(flat)), "[B, 16]");
  EXPECT_EQ(ToString(g.type(w)), "[16, 3]");
  EXPECT_EQ(ToString(g.type(g.Labels())), "int32 [B]");
  EXPECT_EQ(ToString(g.type(head.loss)), "[B]");
  EXPECT_EQ(g.value(y).name, "layer/matmul");
  EXPECT_EQ(g.value(flat).name, "reshape_0");
  EXPECT_EQ(g.value(w).initializer, Initializer::kHeNormal);
}

TEST(Graph, InputsAreTheSameValueEachTime) {
  Graph g("toy");
  EXPECT_EQ(g.Features({{4}}), g.Features({{4}}));
  EXPECT_EQ(g.ExampleWeights(), g.ExampleWeights());
  EXPECT_THAT(g.status(), IsOk());
  g.Features({{5}});
  EXPECT_THAT(g.status(), StatusIs(kInvalid, AllOf(HasSubstr("[B, 4]"),
                                                   HasSubstr("[B, 5]"))));
}

TEST(Graph, InputsHaveNamesAndTypes) {
  Graph g("toy");
  const Value image = g.Input("image", DType::kUint8, {{2, 2}});
  const Value mask = g.Input("mask", DType::kFloat32, {});
  EXPECT_NE(image, mask);
  EXPECT_NE(mask, g.ExampleWeights());
  EXPECT_EQ(g.Input("features", DType::kFloat32, {{4}}), g.Features({{4}}));
  EXPECT_EQ(g.Input("labels", DType::kInt32, {}), g.Labels());
  EXPECT_EQ(ToString(g.type(image)), "uint8 [B, 2, 2]");
  ASSERT_THAT(g.status(), IsOk());
  g.Input("image", DType::kBool, {{2, 2}});
  EXPECT_THAT(g.status(),
              StatusIs(kInvalid, HasSubstr("input image cannot be both uint8 "
                                           "[B, 2, 2] and bool [B, 2, 2]")));
}

TEST(Graph, OnlyTheDeclaredInputIsTheExamplesWeight) {
  Graph g("toy");
  g.Input("weights", DType::kFloat32, {});
  g.ExampleWeights();
  EXPECT_THAT(g.status(),
              StatusIs(kInvalid, HasSubstr("the examples' weight")));
  Graph unnamed("toy");
  unnamed.Input("", DType::kFloat32, {});
  EXPECT_THAT(unnamed.status(), StatusIs(kInvalid, HasSubstr("needs a name")));
}

TEST(Graph, FirstErrorStaysAndNamesTheNode) {
  Graph g("toy");
  const Value x = g.Features({{64}});
  const Value w = g.Variable("w", {{32, 10}}, Initializer::kZeros);
  const Value y = g.MatMul(x, w, "dense_1/matmul");
  EXPECT_FALSE(y.present());
  g.Relu(y);  // does not add a second error, nor crash
  g.Variable("w", {{1}}, Initializer::kZeros);
  EXPECT_THAT(
      g.status(),
      StatusIs(kInvalid, AllOf(HasSubstr("model toy: dense_1/matmul: MatMul"),
                               HasSubstr("[B, 64]"), HasSubstr("[32, 10]"))));
}

TEST(Graph, RefusesTwoVariablesOfOneName) {
  Graph g("toy");
  g.Variable("w", {{2}}, Initializer::kZeros);
  g.Variable("w", {{3}}, Initializer::kZeros);
  EXPECT_THAT(g.status(), StatusIs(kInvalid, HasSubstr("called w")));
}

TEST(Graph, RefusesValuesOfNowhere) {
  Graph g("toy");
  g.Relu(Value{7});
  EXPECT_THAT(g.status(), StatusIs(kInvalid, HasSubstr("another graph")));
}

class BadShape : public ::testing::TestWithParam<Shape> {};

TEST_P(BadShape, IsRefused) {
  Graph g("toy");
  EXPECT_FALSE(g.Variable("w", GetParam(), Initializer::kZeros).present());
  EXPECT_THAT(g.status(), StatusIs(kInvalid, HasSubstr("variable w")));
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, BadShape,
    ::testing::Values(Shape{{0}}, Shape{{3, -1}},
                      Shape{{std::int64_t{1} << 21, std::int64_t{1} << 20}},
                      Shape{{std::int64_t{1} << 62, std::int64_t{1} << 62}}));

}  // namespace
}  // namespace podsim
