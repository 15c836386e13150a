// What the cores at hand make of a sum over several of them.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

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

TEST(AllReduceTest, ExtremesOfEachGroup) {
  const std::vector<double> first = {3, -1, 4, 1, -5, 9, -2, -6};
  for (const auto& [word, group, want] :
       std::vector<std::tuple<std::string, std::int64_t, std::vector<double>>>{
           {"maximum", 1, first},
           {"maximum", 2, {3, 3, 4, 4, 9, 9, -2, -2}},
           {"maximum", 4, {4, 4, 4, 4, 9, 9, 9, 9}},
           {"maximum", 0, std::vector<double>(8, 9)},
           {"minimum", 2, {-1, -1, 1, 1, -5, -5, -6, -6}},
           {"minimum", 8, std::vector<double>(8, -6)}}) {
    OpSample sample = SampleOf(group);
    sample.attributes.word = word;
    Tensor operand = {sample.inputs[0], {}};
    operand.values.clear();
    for (const double value : first) {
      operand.values.push_back(value);
      operand.values.push_back(0);
    }
    OneOp op(EntryOf(OpCode::kAllReduce), sample);
    op.Run({operand}, 16, 2, {}, KernelsNamed("reference"));
    const std::vector<double> result = op.Result(0);
    ASSERT_EQ(result.size(), 16U);
    for (std::size_t core = 0; core < first.size(); ++core)
      EXPECT_EQ(result[2 * core], want[core])
          << word << ", core " << core << " in groups of " << group;
  }
}

}  // namespace
}  // namespace podsim::testing
