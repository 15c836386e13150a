// Layers: which variables and ops they append.
#include <utility>

#include "models/layers/convolution.h"
#include "models/layers/dense.h"
#include "models/layers/embedding.h"
#include "models/layers/multi_head_attention.h"
#include "models/layers/norm.h"
#include "tests/models/composites/graph_values.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::GraphValues;
using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> VariablesOf(const Graph& g) {
  std::vector<std::string> names;
  for (const GraphValue& value : g.values())
    if (value.kind == ValueKind::kVariable)
      names.push_back(value.name + " " + ToString(value.type));
  return names;
}

TEST(Dense, AddsKernelAndBias) {
  Graph g("toy");
  const Value y = Dense(g, "first", g.Features({{6}}), 3, Activation::kRelu);
  ASSERT_THAT(g.status(), IsOk());
  EXPECT_EQ(ToString(g.type(y)), "[B, 3]");
  EXPECT_THAT(VariablesOf(g),
              ElementsAre("first/kernel [6, 3]", "first/bias [3]"));
  ASSERT_EQ(g.nodes().size(), 3U);
  EXPECT_EQ(g.nodes()[0].op, OpCode::kMatMul);
  EXPECT_EQ(g.nodes()[1].op, OpCode::kAddBias);
  EXPECT_EQ(g.nodes()[2].op, OpCode::kRelu);
}

TEST(Dense, InitialisesByActivation) {
  for (const auto activation : {Activation::kNone, Activation::kRelu}) {
    Graph g("toy");
    Dense(g, "d", g.Features({{6}}), 3, activation);
    const bool relu = activation == Activation::kRelu;
    EXPECT_EQ(g.nodes().size(), relu ? 3U : 2U);
    for (const GraphValue& value : g.values()) {
      if (value.name == "d/kernel") {
        EXPECT_EQ(value.initializer,
                  relu ? Initializer::kHeNormal : Initializer::kGlorotUniform);
      } else if (value.name == "d/bias") {
        EXPECT_EQ(value.initializer, Initializer::kZeros);
      }
    }
  }
}

TEST(Dense, TakesVectorsOnly) {
  Graph g("toy");
  Dense(g, "d", g.Features({{2, 3}}), 3, Activation::kNone);
  EXPECT_THAT(g.status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("d: a dense layer takes [B, K], not "
                                 "[B, 2, 3]; flatten it first")));
}

TEST(Dense, RefusesAWidthOfNothing) {
  Graph g("toy");
  Dense(g, "d", g.Features({{2}}), 0, Activation::kNone);
  EXPECT_THAT(g.status(), StatusIs(absl::StatusCode::kInvalidArgument,
                                   HasSubstr("d/kernel has shape [2, 0]")));
}

TEST(Flatten, MakesVectorsAndLeavesThemAlone) {
  Graph g("toy");
  const Value x = g.Features({{2, 3, 4}});
  const Value flat = Flatten(g, x);
  EXPECT_EQ(ToString(g.type(flat)), "[B, 24]");
  EXPECT_EQ(Flatten(g, flat), flat);
}

TEST(Flatten, MakesAScalarAVectorOfOne) {
  Graph g("toy");
  EXPECT_EQ(ToString(g.type(Flatten(g, g.Features({})))), "[B, 1]");
}

TEST(Projection, IsAlongTheLastDimension) {
  Graph g("toy");
  const Value x = g.Features({{3, 4}});
  const Value y = Projection(g, "p", x, 2);
  const Value bare =
      Projection(g, "q", x, 2, Activation::kNone, /*has_bias=*/false);
  ASSERT_THAT(g.status(), IsOk());
  EXPECT_EQ(ToString(g.type(y)), "[B, 3, 2]");
  EXPECT_EQ(ToString(g.type(bare)), "[B, 3, 2]");
  EXPECT_THAT(VariablesOf(g),
              ElementsAre("p/kernel [4, 2]", "p/bias [2]", "q/kernel [4, 2]"));
}

TEST(Projection, BeginsAsItIsTold) {
  Graph g("toy");
  const Value x = g.Features({{3, 4}});
  Projection(
      g, "p", x, 2,
      KernelHow{.has_bias = false, .initializer = Initializer::kSmallNormal});
  Projection(g, "q", x, 2, KernelHow{.activation = Activation::kRelu});
  ASSERT_THAT(g.status(), IsOk());
  EXPECT_THAT(VariablesOf(g),
              ElementsAre("p/kernel [4, 2]", "q/kernel [4, 2]", "q/bias [2]"));
  for (const GraphValue& value : g.values()) {
    if (value.name == "p/kernel") {
      EXPECT_EQ(value.initializer, Initializer::kSmallNormal);
    } else if (value.name == "q/kernel") {
      EXPECT_EQ(value.initializer, Initializer::kHeNormal);
    }
  }
}

TEST(Conv2D, StridesOverAnImageOfAnySide) {
  for (const auto& [side, out] :
       {std::pair(8, "[B, 4, 4, 3]"), std::pair(7, "[B, 4, 4, 3]")}) {
    Graph g("toy");
    const Value y = Conv2D(g, "c", g.Features({{side, side, 2}}), 3,
                           StridedWindow(3, 2), KernelHow{.has_bias = false});
    ASSERT_THAT(g.status(), IsOk());
    EXPECT_EQ(ToString(g.type(y)), out);
    EXPECT_THAT(VariablesOf(g), ElementsAre("c/kernel [3, 3, 2, 3]"));
  }
}

// Every output pixel as the sum that it is.
TEST(Conv2D, SumsWhatItsWindowShows) {
  Graph g("toy");
  const Value x = g.Features({{4, 5, 2}});
  const Value y = Conv2D(g, "c", x, 3, SameWindow(3), Activation::kNone);
  ASSERT_THAT(g.status(), IsOk());
  EXPECT_EQ(ToString(g.type(y)), "[B, 4, 5, 3]");
  EXPECT_THAT(VariablesOf(g),
              ElementsAre("c/kernel [3, 3, 2, 3]", "c/bias [3]"));
  const GraphValues values(g, 2);
  const Tensor in = values.Compute(x);
  const Tensor out = values.Compute(y);
  Value kernel_value;
  Value bias_value;
  for (std::int32_t id = 0; id < static_cast<int>(g.values().size()); ++id) {
    if (g.value({id}).name == "c/kernel") kernel_value = {id};
    if (g.value({id}).name == "c/bias") bias_value = {id};
  }
  const Tensor kernel = values.Compute(kernel_value);
  const Tensor bias = values.Compute(bias_value);
  std::size_t at = 0;
  for (int row = 0; row < 2; ++row)
    for (int h = 0; h < 4; ++h)
      for (int w = 0; w < 5; ++w)
        for (int feature = 0; feature < 3; ++feature) {
          double sum = bias.values[static_cast<std::size_t>(feature)];
          for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
              for (int c = 0; c < 2; ++c) {
                const int from_h = h + i - 1;
                const int from_w = w + j - 1;
                if (from_h < 0 || from_h >= 4 || from_w < 0 || from_w >= 5)
                  continue;
                sum += in.values[static_cast<std::size_t>(
                           ((row * 4 + from_h) * 5 + from_w) * 2 + c)] *
                       kernel.values[static_cast<std::size_t>(
                           ((i * 3 + j) * 2 + c) * 3 + feature)];
              }
          EXPECT_NEAR(out.values[at++], sum, 1e-12);
        }
}

TEST(Conv2D, TakesImagesOnly) {
  Graph g("toy");
  Conv2D(g, "c", g.Features({{4, 5}}), 3, SameWindow(3), Activation::kNone);
  EXPECT_THAT(g.status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("c: takes images [B, height, width, channels]"
                                 ", not [B, 4, 5]")));
}

TEST(Pool, TakesTheLargestOrTheMeanOfEachWindow) {
  Graph g("toy");
  const Value x = g.Features({{2, 4, 1}});
  const Value largest = MaxPool(g, x, TilingWindow(2));
  const Value mean = AvgPool(g, x, TilingWindow(2));
  ASSERT_THAT(g.status(), IsOk());
  EXPECT_EQ(ToString(g.type(mean)), "[B, 1, 2, 1]");
  GraphValues values(g, 1);
  values.at(x).values = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_THAT(values.Compute(largest).values, ElementsAre(6, 8));
  EXPECT_THAT(values.Compute(mean).values, ElementsAre(3.5, 5.5));
}

TEST(Norms, HaveAScaleOfOneAndABias) {
  Graph g("toy");
  const Value x = g.Features({{3, 4}});
  LayerNorm(g, "layer", x);
  BatchNorm(g, "batch", x);
  ASSERT_THAT(g.status(), IsOk());
  EXPECT_THAT(VariablesOf(g), ElementsAre("layer/scale [4]", "layer/bias [4]",
                                          "batch/scale [4]", "batch/bias [4]"));
  for (const GraphValue& value : g.values())
    if (value.name == "layer/scale" || value.name == "batch/scale") {
      EXPECT_EQ(value.initializer, Initializer::kOnes);
    }
}

TEST(Embedding, LooksRowsUpAndAddsPositions) {
  Graph g("toy");
  const Value ids = g.Input("ids", DType::kInt32, {{3}});
  const Value rows = Embedding(g, "table", ids, 5, 2);
  const Value y = AddPositions(g, "positions", rows);
  ASSERT_THAT(g.status(), IsOk());
  EXPECT_EQ(ToString(g.type(y)), "[B, 3, 2]");
  EXPECT_THAT(VariablesOf(g), ElementsAre("table [5, 2]", "positions [3, 2]"));
  GraphValues values(g, 2);
  values.at(ids).values = {4, 0, 2, 1, 1, 3};
  const Tensor out = values.Compute(rows);
  Value found;
  for (std::int32_t id = 0; id < static_cast<int>(g.values().size()); ++id)
    if (g.value({id}).name == "table" &&
        g.value({id}).kind == ValueKind::kVariable)
      found = {id};
  for (std::size_t i = 0; i < out.values.size(); ++i)
    EXPECT_EQ(
        out.values[i],
        values.at(found)
            .values[static_cast<std::size_t>(values.at(ids).values[i / 2]) * 2 +
                    i % 2]);
}

TEST(Embedding, IsReadAtBothEnds) {
  Graph g("toy");
  const Value table = g.Variable("table", {{5, 2}}, Initializer::kSmallNormal);
  const Value ids = g.Input("ids", DType::kInt32, {{3}});
  const Value logits =
      ProductWithRows(g, RowsAt(g, table, ids, "rows"), table, "logits");
  ASSERT_THAT(g.status(), IsOk());
  EXPECT_EQ(ToString(g.type(logits)), "[B, 3, 5]");
  EXPECT_THAT(VariablesOf(g), ElementsAre("table [5, 2]"));
  GraphValues values(g, 1);
  values.at(ids).values = {4, 0, 2};
  values.at(table).values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const Tensor out = values.Compute(logits);
  EXPECT_EQ(out.values[0], 9 * 1 + 10 * 2);   // of id 4 and row 0
  EXPECT_EQ(out.values[14], 5 * 9 + 6 * 10);  // of id 2 and row 4
}

TEST(AddPositions, TakesTheFirstOfMore) {
  Graph g("toy");
  const Value x = g.Features({{3, 2}});
  const Value y = AddPositions(g, "positions", x, 4);
  ASSERT_THAT(g.status(), IsOk());
  EXPECT_THAT(VariablesOf(g), ElementsAre("positions [4, 2]"));
  const GraphValues values(g, 1);
  const Tensor in = values.Compute(x);
  const Tensor table = values.Compute({1});
  const Tensor out = values.Compute(y);
  for (std::size_t i = 0; i < out.values.size(); ++i)
    EXPECT_EQ(out.values[i], in.values[i] + table.values[i]);
  AddPositions(g, "few", x, 2);
  EXPECT_THAT(g.status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("few")));
}

TEST(MultiHeadAttention, LooksAtAnotherSequence) {
  Graph g("toy");
  const Value x = g.Input("x", DType::kFloat32, {{3, 4}});
  const Value memory = g.Input("memory", DType::kFloat32, {{5, 4}});
  const Value y = MultiHeadAttention(
      g, "a", x, memory,
      {.heads = 2, .has_bias = false, .has_key_bias = false});
  const Value z = MultiHeadAttention(g, "b", x, x, {.heads = 2});
  ASSERT_THAT(g.status(), IsOk());
  EXPECT_EQ(ToString(g.type(y)), "[B, 3, 4]");
  EXPECT_EQ(ToString(g.type(z)), "[B, 3, 4]");
  EXPECT_THAT(VariablesOf(g),
              ElementsAre("a/query/kernel [4, 4]", "a/key/kernel [4, 4]",
                          "a/value/kernel [4, 4]", "a/out/kernel [4, 4]",
                          "b/query/kernel [4, 4]", "b/query/bias [4]",
                          "b/key/kernel [4, 4]", "b/key/bias [4]",
                          "b/value/kernel [4, 4]", "b/value/bias [4]",
                          "b/out/kernel [4, 4]", "b/out/bias [4]"));
}

TEST(MultiHeadAttention, HasKeysWithoutABias) {
  Graph g("toy");
  const Value y = MultiHeadAttention(g, "a", g.Features({{3, 4}}), 2);
  ASSERT_THAT(g.status(), IsOk());
  EXPECT_EQ(ToString(g.type(y)), "[B, 3, 4]");
  EXPECT_THAT(
      VariablesOf(g),
      ElementsAre("a/query/kernel [4, 4]", "a/query/bias [4]",
                  "a/key/kernel [4, 4]", "a/value/kernel [4, 4]",
                  "a/value/bias [4]", "a/out/kernel [4, 4]", "a/out/bias [4]"));
}

TEST(SecondPass, ReadsTheFirstOnesVariables) {
  Graph g("toy");
  const Value x = g.Features({{4}});
  Dense(g, "d", x, 3, Activation::kNone);
  g.BeginSecondPass();
  Dense(g, "d", x, 3, Activation::kNone);
  ASSERT_THAT(g.status(), IsOk());
  EXPECT_THAT(VariablesOf(g), ElementsAre("d/kernel [4, 3]", "d/bias [3]"));
  Dense(g, "e", x, 3, Activation::kNone);
  EXPECT_THAT(g.status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("the second pass has a variable e/kernel")));
}

TEST(Layers, PassAbsentValuesThrough) {
  Graph g("toy");
  g.Fail(absl::InvalidArgumentError("before"));
  EXPECT_FALSE(Flatten(g, kNone).present());
  EXPECT_FALSE(Dense(g, "d", kNone, 3, Activation::kRelu).present());
  EXPECT_THAT(g.status(), StatusIs(absl::StatusCode::kInvalidArgument,
                                   HasSubstr("before")));
}

}  // namespace
}  // namespace podsim
