// Compiled Programs: where batched tensors and results lie.
#include <cstddef>
#include <utility>

#include "models/graph/compile.h"
#include "tests/models/graph/toy_program.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::CompileToy;
using ::podsim::testing::InstructionsOf;

// Memory of the batched tensors where each element says whose it is, run as a
// host runs it: a row group takes one row after the other through all of its
// instructions. A read that finds another tensor's or another row's element is
// an overlap of what is alive. It finds the groups for itself, so that a
// mistake of RowGroups would show here too.
class OwnedMemory {
 public:
  OwnedMemory(const Program& program, std::int64_t rows)
      : program_(program),
        rows_(rows),
        owners_(
            static_cast<std::size_t>(program.batched_elements_per_row * rows),
            {kNoTensor, -1}) {}

  void Run(const std::vector<Instruction>& instructions) {
    for (std::size_t begin = 0, end = 0; begin < instructions.size();
         begin = end) {
      const std::int32_t group = instructions[begin].row_group;
      end = begin + 1;
      while (group != kNoRowGroup && end < instructions.size() &&
             instructions[end].row_group == group)
        ++end;
      if (group == kNoRowGroup) {
        Step(instructions[begin], 0, rows_);
        continue;
      }
      for (std::int64_t row = 0; row < rows_; ++row)
        for (std::size_t i = begin; i < end; ++i)
          Step(instructions[i], row, row + 1);
    }
  }

 private:
  using Owner = std::pair<TensorId, std::int64_t>;

  template <typename Fn>
  void ForElements(TensorId id, std::int64_t begin, std::int64_t end,
                   const Fn& fn) {
    const ProgramTensor& tensor = program_.tensor(id);
    if (tensor.storage != Storage::kBatched) return;
    const std::int64_t columns = tensor.shape.elements();
    for (std::int64_t row = begin; row < end; ++row)
      for (std::int64_t i = 0; i < columns; ++i)
        fn(owners_[static_cast<std::size_t>(tensor.offset * rows_ +
                                            row * columns + i)],
           Owner{id, row});
  }

  void Step(const Instruction& instruction, std::int64_t begin,
            std::int64_t end) {
    for (const TensorId id : instruction.inputs)
      ForElements(program_.root(id), begin, end,
                  [&](const Owner& found, const Owner& want) {
                    EXPECT_EQ(found, want)
                        << program_.tensor(id).name << " is read by "
                        << ToString(instruction.op);
                  });
    for (const TensorId id : instruction.outputs)
      ForElements(id, begin, end,
                  [](Owner& found, const Owner& want) { found = want; });
  }

  const Program& program_;
  const std::int64_t rows_;
  std::vector<Owner> owners_;
};

void ExpectNoOverlap(const Program& program, EntryPoint entry) {
  OwnedMemory memory(program, 3);
  memory.Run(InstructionsOf(program, entry));
}

TEST(Compile, ForwardIsOneRowGroupAndWeightGradientsStandAlone) {
  const Program program = CompileToy({});
  for (const auto entry : {EntryPoint::kTrainMicrobatch, EntryPoint::kEval}) {
    std::int32_t forward = kNoRowGroup;
    for (const Instruction& instruction : InstructionsOf(program, entry)) {
      const bool whole = instruction.op == OpCode::kMatMulGradWeight ||
                         instruction.op == OpCode::kBiasGrad;
      EXPECT_EQ(instruction.row_group == kNoRowGroup, whole)
          << ToString(instruction.op);
      if (instruction.op != OpCode::kMatMul) continue;
      if (forward == kNoRowGroup) forward = instruction.row_group;
      EXPECT_EQ(instruction.row_group, forward);
    }
  }
}

// x W + b, its ReLU and nothing else that anyone reads lie in one place.
TEST(Compile, ElementWiseResultsTakeTheirOperandsPlace) {
  Graph g("in place");
  const Value x = g.Features({{4}});
  const Value w = g.Variable("w", {{4, 6}}, Initializer::kZeros);
  const Value b = g.Variable("b", {{6}}, Initializer::kZeros);
  const Value sum = g.AddBias(g.MatMul(x, w, "product"), b, "sum");
  const Value y = g.Relu(g.Relu(sum));
  const Value both = g.Add(y, y);  // reads its operand twice
  ASSERT_OK_AND_ASSIGN(const Program program,
                       Compile(g, {.results = {g.Add(both, sum)}},
                               {.bfloat16_products = false}));
  const auto offset = [&](const char* name) {
    return program.tensor(FindTensor(program, name)).offset;
  };
  EXPECT_EQ(offset("product"), offset("sum"));
  // `sum` is read again at the end; the two ReLUs share a place of their own,
  // and `both` has a third.
  EXPECT_EQ(program.batched_elements_per_row, 3 * 6);
  ExpectNoOverlap(program, EntryPoint::kEval);
}

TEST(Compile, LiveTensorsNeverOverlapAndDeadOnesAreReused) {
  for (const bool bfloat16 : {false, true}) {
    const Program program = CompileToy({.bfloat16_products = bfloat16});
    ExpectNoOverlap(program, EntryPoint::kTrainMicrobatch);
    ExpectNoOverlap(program, EntryPoint::kEval);
    std::int64_t sum = 0;
    for (const ProgramTensor& tensor : program.tensors) {
      if (tensor.storage != Storage::kBatched) continue;
      sum += tensor.shape.elements();
      EXPECT_LE(tensor.offset + tensor.shape.elements(),
                program.batched_elements_per_row);
    }
    EXPECT_LT(program.batched_elements_per_row, sum);
  }
}

TEST(Compile, KeptResultsSurviveTheirUses) {
  // Two unbatched intermediates of one size: the kept one must not be reused.
  Graph g("kept");
  const Value a = g.Variable("a", {{4}}, Initializer::kZeros);
  const Value b = g.Relu(a, "b");
  const Value c = g.Relu(b, "c");
  const Value d = g.Relu(c, "d");
  ASSERT_OK_AND_ASSIGN(const Program program,
                       Compile(g, {.results = {b, d}}, {}));
  const auto offset = [&](const char* name) {
    return program.tensor(FindTensor(program, name)).offset;
  };
  EXPECT_NE(offset("b"), offset("c"));
  EXPECT_NE(offset("b"), offset("d"));
}

}  // namespace
}  // namespace podsim
