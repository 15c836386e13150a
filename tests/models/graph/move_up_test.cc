// What was appended stands behind the last op that it waits for.
#include "models/graph/move_up.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace podsim {
namespace {

using ::testing::ElementsAre;

Instruction Makes(TensorId result, std::vector<TensorId> from) {
  Instruction instruction;
  instruction.inputs = std::move(from);
  instruction.outputs = {result};
  return instruction;
}

// What each makes, in order.
std::vector<TensorId> Results(const std::vector<Instruction>& instructions) {
  std::vector<TensorId> results;
  for (const Instruction& each : instructions)
    results.push_back(each.outputs.at(0));
  return results;
}

// Tensors 0 to 9; 9 is another view of 3.
Program TenTensors() {
  Program program;
  program.tensors.resize(10);
  program.tensors[9].view_of = 3;
  return program;
}

TEST(MoveUpTest, EachComesBehindTheLastOneThatItWaitsFor) {
  // The pass: 1 and 2 of the input 0, 3 of both.
  const std::vector<Instruction> instructions = {
      Makes(1, {0}),      Makes(2, {0}),
      Makes(3, {1, 2}),   Makes(4, {3}),  // the last one's
      Makes(5, {0}),                      // there beforehand
      Makes(6, {1, 5}),      // behind 1, and an appended one in front of it
      Makes(7, {6}),         // of that
      Makes(8, {7, 2, 5})};  // the latest of several
  EXPECT_THAT(Results(MoveUp(TenTensors(), instructions, 3)),
              ElementsAre(5, 1, 6, 7, 2, 8, 3, 4));
}

TEST(MoveUpTest, AViewIsMadeWithItsTensor) {
  const std::vector<Instruction> instructions = {Makes(1, {0}), Makes(3, {1}),
                                                 Makes(2, {1}), Makes(4, {9})};
  EXPECT_THAT(Results(MoveUp(TenTensors(), instructions, 3)),
              ElementsAre(1, 3, 4, 2));
}

TEST(MoveUpTest, WithoutAppendedOnesNothingMoves) {
  const std::vector<Instruction> instructions = {Makes(1, {0}), Makes(2, {0}),
                                                 Makes(3, {1})};
  EXPECT_THAT(Results(MoveUp(TenTensors(), instructions, 3)),
              ElementsAre(1, 2, 3));
  EXPECT_THAT(Results(MoveUp(TenTensors(), instructions, 0)),
              ElementsAre(1, 2, 3));
  EXPECT_TRUE(MoveUp(TenTensors(), {}, 0).empty());
}

}  // namespace
}  // namespace podsim
