// Layers: which variables and ops they append.
#include "models/layers/dense.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

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
