// What is behind a barrier is computed again, if it follows from a variable,
// and is read by the patterns that read what is before it.
#include "models/import/barriers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "models/import/build.h"
#include "tests/models/import/patterns_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

class BarriersTest : public PatternsTest {
 protected:
  int Barrier(int of) { return Emit(kBarrier, {of}); }
  int Shaped(const char* op, int from, OpAttributes attributes,
             const Shape& shape) {
    attributes.shape = shape;
    return Emit(op, {from}, std::move(attributes));
  }
  int Sum(int from) {
    OpAttributes add;
    add.word = "add";
    add.lists["dimensions"] = {0};
    return Emit("reduce", {from}, std::move(add));
  }
  // The ops that are left of what `from` makes.
  static std::vector<std::string> NamesIn(const FlatFunction& from) {
    std::vector<std::string> names;
    for (const FlatOp& op : from.ops)
      if (op.entry != nullptr) names.emplace_back(op.entry->name);
    return names;
  }
  // The function of x and w that makes `result`.
  const FlatFunction& Function(int result) {
    builder_.function().parameters = {x_, w_};
    builder_.function().results = {result};
    return builder_.function();
  }
};

TEST_F(BarriersTest, BarriersOfOneValueAreTheSame) {
  const int once = Emit("tanh", {Barrier(w_)});
  const int again = Emit("tanh", {Barrier(w_)});
  EXPECT_THAT(Left(Emit("add", {once, again})),
              ElementsAre("StopGradient", "tanh", "add"));
}

TEST_F(BarriersTest, OfTheDataAloneThereAreNone) {
  const int made = Dot(x_, 1, w_, 0);
  const int again = Dot(Barrier(x_), 1, Barrier(w_), 0);
  const FlatFunction left =
      WithBarriersOf({w_}, Function(Emit("add", {made, again})));
  ASSERT_EQ(left.ops.size(), 6U);
  EXPECT_TRUE(left.ops[3].Is(kBarrier));
  EXPECT_EQ(left.ops[3].operands[0], left.parameters[1]);
  EXPECT_EQ(left.ops[4].operands[0], left.parameters[0]);
}

// Which is replaced by that of all cores for the loss and for its gradients.
TEST_F(BarriersTest, ASumOfTheDataIsOneValue) {
  const int count = Sum(x_);
  const int again = Sum(Barrier(x_));
  const auto simple =
      Simplified(WithBarriersOf({w_}, Function(Emit("add", {count, again}))));
  ASSERT_TRUE(simple.ok()) << simple.status();
  EXPECT_THAT(NamesIn(*simple), Contains("BiasGrad").Times(1));
}

TEST_F(BarriersTest, AResultMayBeOne) {
  EXPECT_THAT(NamesIn(WithBarriersOf({w_}, Function(Barrier(w_)))),
              ElementsAre("StopGradient"));
  const FlatFunction of_data = WithBarriersOf({w_}, Function(Barrier(x_)));
  EXPECT_EQ(of_data.results[0], of_data.parameters[0]);
}

TEST_F(BarriersTest, StandBeforeShapesAndRepetitions) {
  const int column = Shaped("Reshape", w_, {}, {{6, 4, 1}});
  OpAttributes dims;
  dims.lists["broadcast_dimensions"] = {0, 1, 2};
  const int rows = Shaped("broadcast_in_dim", column, dims, {{6, 4, 5}});
  EXPECT_THAT(Left(Barrier(rows)),
              ElementsAre("StopGradient", "Reshape", "broadcast_in_dim"));
  EXPECT_THAT(Left(Shaped("Reshape", Barrier(column), {}, {{6, 4}})),
              ElementsAre("StopGradient"));
}

TEST_F(BarriersTest, ProductsAndBiasesBehindThemAreRead) {
  const int bias = builder_.Parameter(Plain({4}));
  const int product = Dot(Barrier(x_), 1, Barrier(w_), 0);
  OpAttributes rows;
  rows.lists["broadcast_dimensions"] = {1};
  const int spread =
      Shaped("broadcast_in_dim", bias, rows, builder_.type(product).shape);
  EXPECT_THAT(Left(Emit("add", {product, Barrier(spread)})),
              AllOf(Contains("MatMul"), Contains("AddBias"),
                    Not(Contains("broadcast_in_dim"))));
}

TEST_F(BarriersTest, AGraphComputesAgainWithoutThem) {
  const int made = Emit("tanh", {w_});
  const int again = Emit("tanh", {Barrier(Barrier(w_))});
  const int same = Emit("tanh", {w_});
  const int sum = Emit("add", {made, Emit("add", {again, same})});
  Graph graph("again");
  const Value x = graph.Input("x", DType::kFloat32, {{6}});
  const Value w = graph.Variable("w", {{6, 4}}, Initializer::kZeros);
  GraphOfFlat build(graph);
  FlatFunction function = Function(sum);
  function.results.push_back(Barrier(w_));
  function.ops = builder_.function().ops;
  ASSERT_OK_AND_ASSIGN(const std::vector<Value> results,
                       build.Build(function, {x, w}));
  EXPECT_EQ(results[1].id, w.id);
  std::vector<std::string> ops;
  for (const GraphNode& node : graph.nodes()) {
    ops.emplace_back(node.op.name());
    if (node.op.name() == "tanh") {
      EXPECT_EQ(node.inputs[0].id, w.id);
    }
  }
  EXPECT_THAT(ops, ElementsAre("tanh", "tanh", "add", "add"));
}

}  // namespace
}  // namespace podsim
