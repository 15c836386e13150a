// What the cores at hand make of a sum over several of them.
#include <gtest/gtest.h>

#include "models/kernels/kernels.h"
#include "models/ops/op_table.h"
#include "models/ops/rules.h"
#include "tests/host/core/core_fixture.h"
#include "tests/host/core/one_op.h"

namespace podsim::testing {
namespace {

OpSample SampleOf(std::int64_t group) {
  OpSample sample = SamplesOf(EntryOf(OpCode::kAllReduce))[0];
  sample.inputs[0].shape = sample.outputs[0].shape = {{2}};
  sample.attributes.lists[kGroupSize] = {group};
  return sample;
}

// Numbers whose float32 sums tell in which order they were made: 2^24 swallows
// a 1 that comes alone.
TEST(AllReduceTest, SumsEachGroupAsABalancedTree) {
  const std::vector<double> first = {16777216, 1, 1, 1, 2, 3, 4, 5};
  for (const auto& [group, want] :
       std::vector<std::pair<std::int64_t, std::vector<double>>>{
           {1, first},
           {2, {16777216, 16777216, 2, 2, 5, 5, 9, 9}},
           {4, {16777218, 16777218, 16777218, 16777218, 14, 14, 14, 14}},
           {8, std::vector<double>(8, 16777232)},
           {16, std::vector<double>(8, 16777232)},
           {0, std::vector<double>(8, 16777232)}}) {
    const OpSample sample = SampleOf(group);
    Tensor operand = {sample.inputs[0], {}};
    operand.values.clear();
    for (std::size_t core = 0; core < first.size(); ++core) {
      operand.values.push_back(first[core]);
      operand.values.push_back(static_cast<double>(core));
    }
    OneOp op(EntryOf(OpCode::kAllReduce), sample);
    op.Run({operand}, 16, 2, {}, KernelsNamed("reference"));
    const std::vector<double> result = op.Result(0);
    ASSERT_EQ(result.size(), 16U);
    for (std::size_t core = 0; core < first.size(); ++core)
      EXPECT_EQ(result[2 * core], want[core])
          << "core " << core << " in groups of " << group;
  }
}

}  // namespace
}  // namespace podsim::testing
