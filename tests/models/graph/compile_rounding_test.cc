// Compiled Programs: which operands of products are rounded.
#include <map>
#include <set>

#include "models/graph/compile.h"
#include "tests/models/graph/toy_program.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::CompileToy;
using ::podsim::testing::InstructionsOf;

TEST(Compile, RoundsEachOperandOfAProductOnce) {
  const Program program = CompileToy({.bfloat16_products = true});
  std::map<TensorId, int> rounded;
  std::set<TensorId> rounded_copies;
  for (const Instruction& instruction :
       InstructionsOf(program, EntryPoint::kTrainMicrobatch)) {
    if (instruction.op == OpCode::kRoundBFloat16) {
      ++rounded[program.root(instruction.inputs[0])];
      rounded_copies.insert(instruction.outputs[0]);
    }
    const bool product = EntryOf(instruction.op).is_product();
    EXPECT_EQ(instruction.attributes.rounded_operands, product);
    if (!product) continue;
    for (const TensorId id : instruction.inputs) {
      const ProgramTensor& tensor = program.tensor(id);
      EXPECT_TRUE(
          rounded_copies.contains(program.root(id)) ||
          (tensor.storage == Storage::kVariable && tensor.feeds_product))
          << tensor.name;
    }
  }
  // Features, two activations; three gradients.
  EXPECT_EQ(rounded.size(), 6U);
  for (const auto& [id, times] : rounded)
    EXPECT_EQ(times, 1) << program.tensor(id).name;
  for (const ProgramVariable& variable : program.variables) {
    const ProgramTensor& tensor = program.tensor(variable.tensor);
    EXPECT_EQ(tensor.feeds_product, tensor.name.ends_with("/w"));
  }
}

TEST(Compile, Float32RoundsNothing) {
  const Program program = CompileToy({.bfloat16_products = false});
  for (const Instruction& instruction :
       InstructionsOf(program, EntryPoint::kTrainMicrobatch)) {
    EXPECT_NE(instruction.op, OpCode::kRoundBFloat16);
    EXPECT_FALSE(instruction.attributes.rounded_operands);
  }
  for (const ProgramTensor& tensor : program.tensors)
    EXPECT_FALSE(tensor.feeds_product);
}

TEST(Compile, OnlyALeftSideOfOneRowStaysFloat32) {
  for (const std::int64_t rows : {1, 2}) {
    Graph g("rows");
    const Value x = g.Variable("x", {{rows, 3}}, Initializer::kZeros);
    const Value w = g.Variable("w", {{3, 5}}, Initializer::kZeros);
    const Value y = g.MatMul(x, w, "y");
    ASSERT_OK_AND_ASSIGN(const Program program,
                         Compile(g, {.results = {y}}, {}));
    const auto instructions = InstructionsOf(program, EntryPoint::kEval);
    // The left side is rounded before, unless it is one row.
    ASSERT_EQ(instructions.size(), rows == 1 ? 1U : 2U);
    EXPECT_EQ(instructions.back().attributes.rounded_operands, rows != 1);
    EXPECT_EQ(program.tensor(FindTensor(program, "y")).storage,
              Storage::kScratch);
  }
}

}  // namespace
}  // namespace podsim
