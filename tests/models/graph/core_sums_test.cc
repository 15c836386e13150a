// Sums over cores are taken as early as they may be, and no earlier.
#include "models/graph/core_sums.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace podsim {
namespace {

class CoreSumsTest : public ::testing::Test {
 protected:
  Value Product() {
    return graph_.Apply(OpCode::kMatMulGradWeight, {x_, x_})[0];
  }
  Value Transposed(Value of) {
    OpAttributes attributes;
    attributes.lists["permutation"] = {1, 0};
    return graph_.Apply(OpCode("transpose"), {of}, std::move(attributes))[0];
  }
  // The ops from the sum over cores to what is returned, the last one first.
  std::vector<std::string> Behind(Value value) {
    std::vector<std::string> ops;
    while (true) {
      const GraphNode* maker = nullptr;
      for (const GraphNode& node : graph_.nodes())
        if (node.outputs[0].id == value.id) maker = &node;
      if (maker == nullptr) return ops;
      ops.push_back(ToString(maker->op));
      if (maker->op == OpCode::kCoreSum) return ops;
      value = maker->inputs[0];
    }
  }

  Graph graph_{"test"};
  Value x_ = graph_.Features({{4}});
};

using Ops = std::vector<std::string>;

TEST_F(CoreSumsTest, MovesThroughWhatIsLinear) {
  const Value sum = graph_.Add(Transposed(Product()), Transposed(Product()));
  CoreSums sums(graph_, {sum});
  EXPECT_EQ(Behind(sums.Of(sum)), (Ops{"add", "transpose", "CoreSum"}));
  EXPECT_TRUE(graph_.status().ok()) << graph_.status();
}

TEST_F(CoreSumsTest, CountsWhatAllCoresShareOncePerCore) {
  const Value w = graph_.Variable("w", {{4, 4}}, Initializer::kZeros);
  const Value sum = graph_.Add(w, Product());
  CoreSums sums(graph_, {sum});
  EXPECT_EQ(Behind(sums.Of(sum)), (Ops{"add", "Scale"}));
}

TEST_F(CoreSumsTest, StopsAtWhatIsNotLinearOrReadTwice) {
  const Value product = Product();
  const Value square = graph_.Apply(OpCode("multiply"), {product, product})[0];
  const Value read_twice = Transposed(product);
  CoreSums sums(graph_, {square, read_twice});
  EXPECT_EQ(Behind(sums.Of(square)), Ops{"CoreSum"});
  EXPECT_EQ(Behind(sums.Of(read_twice)), Ops{"CoreSum"});
}

}  // namespace
}  // namespace podsim
