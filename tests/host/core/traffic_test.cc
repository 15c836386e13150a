// The bytes of a step, counted by hand for a small model.
#include "host/core/traffic.h"

#include <gtest/gtest.h>

#include "tests/host/core/core_fixture.h"

namespace podsim {
namespace {

using ::podsim::testing::SmallMlp;

// 12 features, 7 hidden, 5 classes; float32, momentum.
TEST(Traffic, IsWhatCrossesFromGroupToGroup) {
  constexpr std::int64_t kRows = 10;
  const std::int64_t first = 12 * 7;
  const std::int64_t second = 7 * 5;
  const std::int64_t biases = 7 + 5;
  const std::int64_t variables = first + second + biases;
  const StepTraffic traffic = TrafficOf(SmallMlp({7}, false), kRows);

  // Written and read by somebody: hidden activations, d(logits), d(hidden);
  // loss and correct are results.
  const std::int64_t crossing = kRows * (7 + 5 + 7);
  const std::int64_t results = 2 * kRows;
  // Features; labels and weights.
  const std::int64_t inputs = kRows * 12 + 2 * kRows;
  const std::int64_t least = inputs + results + 2 * crossing +
                             2 * variables /* gradients */ +
                             4 * variables /* weights and slots */;
  EXPECT_EQ(traffic.least, 4 * least);

  // Read again: features, hidden (its own gradient's sign), d(logits) twice,
  // for the bias and for the hidden layer, d(hidden) for its bias; the second
  // kernel by backward; and right sides packed before each product.
  const std::int64_t again =
      kRows * 12 + kRows * 7 + 2 * kRows * 5 + kRows * 7 + second;
  // Weights by forward and by the update.
  const std::int64_t update = variables;
  const std::int64_t packing = 2 * (first + 2 * second + kRows * 5 + kRows * 7);
  EXPECT_EQ(traffic.touched, 4 * (least + again + update + packing));
}

TEST(Traffic, RoundedCopiesAreMore) {
  const StepTraffic narrow = TrafficOf(SmallMlp({70, 9}, true), 100);
  const StepTraffic wide = TrafficOf(SmallMlp({70, 9}, false), 100);
  EXPECT_GT(narrow.touched, wide.touched);
  EXPECT_GE(wide.touched, wide.least);
}

}  // namespace
}  // namespace podsim
