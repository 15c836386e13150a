// Compiled Programs: segments, buckets, rounding, placement, entry points.
#include "models/graph/compile.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>

#include "tests/models/graph/bounded_machine.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::BoundedMachine;
using ::podsim::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

absl::Status NoUpdate(const CompileOptions& /*options*/, Program& /*program*/) {
  return absl::OkStatus();
}

// Three dense layers 12 -> 7 -> 6 -> 4 by hand, over 3x4 features.
struct Toy {
  Graph g{"toy"};
  CompileInput input;

  Toy() {
    Value x = g.Reshape(g.Features({{3, 4}}), {{12}});
    const std::int64_t widths[] = {7, 6, 4};
    std::int64_t from = 12;
    for (int i = 0; i < 3; ++i) {
      const std::string name = "layer_" + std::to_string(i);
      const Value w = g.Variable(name + "/w", {{from, widths[i]}},
                                 Initializer::kGlorotUniform);
      const Value b =
          g.Variable(name + "/b", {{widths[i]}}, Initializer::kZeros);
      x = g.AddBias(g.MatMul(x, w, name + "/matmul"), b, name + "/sum");
      if (i < 2) x = g.Relu(x, name + "/relu");
      from = widths[i];
    }
    const auto head = g.SoftmaxXent(x, g.Labels(), "xent");
    input.loss = head.loss;
    input.correct = head.correct;
    input.weights = g.Weights();
    input.update = NoUpdate;
  }
};

Program CompileToy(const CompileOptions& options) {
  Toy toy;
  auto program = Compile(toy.g, toy.input, options);
  EXPECT_TRUE(program.ok()) << program.status();
  return *std::move(program);
}

std::vector<Instruction> InstructionsOf(const Program& program,
                                        EntryPoint entry) {
  std::vector<Instruction> all;
  for (const Segment& segment : program.entries.at(entry))
    all.insert(all.end(), segment.instructions.begin(),
               segment.instructions.end());
  return all;
}

class AllBuckets : public ::testing::TestWithParam<std::int64_t> {};

TEST_P(AllBuckets, FollowTheSegmentThatFinishesThem) {
  const Program program = CompileToy({.bucket_bytes = GetParam()});
  const auto& segments = program.entries.at(EntryPoint::kTrainMicrobatch);
  std::set<TensorId> written;
  std::int32_t next = 0;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Segment& segment = segments[i];
    for (const Instruction& instruction : segment.instructions)
      written.insert(instruction.outputs.begin(), instruction.outputs.end());
    if (segment.kind == SegmentKind::kCompute) {
      EXPECT_FALSE(segment.instructions.empty());
      // The cut comes as soon as a bucket is complete: the last instruction
      // writes the last gradient of the bucket that follows.
      ASSERT_LT(i + 1, segments.size());
      const GradientBucket& bucket =
          program.buckets.at(static_cast<std::size_t>(next));
      EXPECT_THAT(segment.instructions.back().outputs,
                  ::testing::Contains(bucket.gradients.back()));
      continue;
    }
    ASSERT_EQ(segment.bucket, next++);
    EXPECT_TRUE(segment.instructions.empty());
    for (const TensorId id :
         program.buckets[static_cast<std::size_t>(segment.bucket)].gradients)
      EXPECT_TRUE(written.contains(id)) << program.tensor(id).name;
  }
  EXPECT_EQ(next, static_cast<std::int32_t>(program.buckets.size()));

  const auto& reduce = program.entries.at(EntryPoint::kReduce);
  ASSERT_EQ(reduce.size(), program.buckets.size());
  for (std::size_t i = 0; i < reduce.size(); ++i) {
    EXPECT_EQ(reduce[i].kind, SegmentKind::kAllReduce);
    EXPECT_EQ(reduce[i].bucket, static_cast<std::int32_t>(i));
  }
}

TEST_P(AllBuckets, TileTheGradientArena) {
  const Program program = CompileToy({.bucket_bytes = GetParam()});
  std::int64_t end = 0;
  for (const GradientBucket& bucket : program.buckets) {
    EXPECT_EQ(bucket.begin, end);
    for (std::size_t i = 0; i < bucket.gradients.size(); ++i) {
      const ProgramTensor& gradient = program.tensor(bucket.gradients[i]);
      EXPECT_EQ(gradient.storage, Storage::kGradient);
      EXPECT_EQ(gradient.offset, end);
      EXPECT_EQ(gradient.shape, program.tensor(bucket.variables[i]).shape);
      end += gradient.shape.elements();
    }
    EXPECT_EQ(bucket.begin + bucket.count, end);
  }
  EXPECT_EQ(end, program.gradient_elements);
  EXPECT_EQ(end, program.variable_elements);
}

INSTANTIATE_TEST_SUITE_P(Bytes, AllBuckets,
                         ::testing::Values(1, 100, 200, 400, 1 << 20));

TEST(Compile, BucketsComeLastLayerFirst) {
  const Program program = CompileToy({.bucket_bytes = 1});
  std::vector<std::string> order;
  for (const GradientBucket& bucket : program.buckets)
    order.push_back(program.tensor(bucket.variables[0]).name);
  EXPECT_THAT(order, ElementsAre("layer_2/b", "layer_2/w", "layer_1/b",
                                 "layer_1/w", "layer_0/b", "layer_0/w"));
}

Value Var(Graph& g, const char* name) {
  return g.Variable(name, {{3, 4}}, Initializer::kGlorotUniform);
}

// As soon as a bucket is under way its memory belongs to the all-reduce, so
// each gradient has memory of its own that no op reads.
void ExpectGradientsOnTheirOwn(Graph& g, Value w) {
  const auto head = g.SoftmaxXent(g.MatMul(g.Features({{3}}), w), g.Labels());
  ASSERT_OK_AND_ASSIGN(
      const Program program,
      Compile(g,
              {.loss = head.loss, .weights = g.Weights(), .update = NoUpdate},
              {.bucket_bytes = 1}));
  std::set<TensorId> gradients;
  for (const GradientBucket& bucket : program.buckets)
    for (const TensorId id : bucket.gradients)
      EXPECT_TRUE(gradients.insert(id).second) << program.tensor(id).name;
  EXPECT_EQ(gradients.size(), program.variables.size());
  for (const Instruction& instruction :
       InstructionsOf(program, EntryPoint::kTrainMicrobatch))
    for (const TensorId id : instruction.inputs)
      EXPECT_NE(program.tensor(id).storage, Storage::kGradient)
          << program.tensor(id).name;
}

TEST(Compile, AGradientThatFlowsOnIsCopied) {
  Graph g("flows on");
  ExpectGradientsOnTheirOwn(g, g.Add(Var(g, "u"), g.Relu(Var(g, "v"))));
}

TEST(Compile, AGradientOfTwoVariablesIsCopied) {
  Graph g("shared");
  ExpectGradientsOnTheirOwn(g, g.Add(Var(g, "a"), Var(g, "b")));
}

// Memory of the batched tensors where each element says whose it is, run as a
// host runs it: a row group takes one row after the other through all of its
// instructions. A read that finds another tensor's or another row's element is
// an overlap of what is alive.
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
      ForElements(id, begin, end, [&](const Owner& found, const Owner& want) {
        EXPECT_EQ(found, want) << program_.tensor(id).name << " is read by "
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

TEST(Compile, RoundsEachOperandOfAProductOnce) {
  const Program program = CompileToy({.bfloat16_products = true});
  std::map<TensorId, int> rounded;
  std::set<TensorId> rounded_copies;
  for (const Instruction& instruction :
       InstructionsOf(program, EntryPoint::kTrainMicrobatch)) {
    if (instruction.op == OpCode::kRoundBFloat16) {
      ++rounded[instruction.inputs[0]];
      rounded_copies.insert(instruction.outputs[0]);
    }
    const bool product = EntryOf(instruction.op).is_product;
    EXPECT_EQ(instruction.attributes.rounded_operands, product);
    if (!product) continue;
    for (const TensorId id : instruction.inputs) {
      const ProgramTensor& tensor = program.tensor(id);
      EXPECT_TRUE(
          rounded_copies.contains(id) ||
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

TEST(Compile, ReshapingABatchMovesNothing) {
  const Program program = CompileToy({});
  for (const Instruction& instruction :
       InstructionsOf(program, EntryPoint::kTrainMicrobatch))
    EXPECT_NE(instruction.op, OpCode::kReshape);
  EXPECT_EQ(program.tensor(program.features).shape, (Shape{{3, 4}}));
}

TEST(Compile, EvalIsForwardAlone) {
  const Program program = CompileToy({});
  const auto& eval = program.entries.at(EntryPoint::kEval);
  ASSERT_EQ(eval.size(), 1U);
  std::set<TensorId> written;
  for (const Instruction& instruction : eval[0].instructions) {
    written.insert(instruction.outputs.begin(), instruction.outputs.end());
    for (const TensorId id : instruction.outputs)
      EXPECT_NE(program.tensor(id).storage, Storage::kGradient);
  }
  EXPECT_TRUE(written.contains(program.loss));
  EXPECT_TRUE(written.contains(program.correct));
  EXPECT_EQ(program.tensor(program.loss).storage, Storage::kOutput);
  EXPECT_EQ(program.output_elements_per_row, 2);
  EXPECT_LT(eval[0].instructions.size(),
            InstructionsOf(program, EntryPoint::kTrainMicrobatch).size());
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

TEST(Compile, InferenceNeedsNoLoss) {
  Graph g("forward");
  const Value w = g.Variable("w", {{3, 5}}, Initializer::kZeros);
  const Value y = g.MatMul(g.Features({{3}}), w, "y");
  ASSERT_OK_AND_ASSIGN(const Program program, Compile(g, {.results = {y}}, {}));
  EXPECT_FALSE(program.entries.contains(EntryPoint::kTrainMicrobatch));
  EXPECT_EQ(program.output_elements_per_row, 5);
  EXPECT_EQ(program.loss, kNoTensor);
  EXPECT_EQ(FindTensor(program, "no such tensor"), kNoTensor);
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

TEST(Compile, IsDeterministic) {
  EXPECT_EQ(ToText(CompileToy({})), ToText(CompileToy({})));
  EXPECT_NE(ToText(CompileToy({})),
            ToText(CompileToy({.bfloat16_products = false})));
  EXPECT_NE(ToText(CompileToy({})), ToText(CompileToy({.bucket_bytes = 1})));
}

TEST(Compile, PassesTheGraphsErrorOn) {
  Toy toy;
  toy.g.Fail(absl::InvalidArgumentError("too wide"));
  EXPECT_THAT(Compile(toy.g, toy.input, {}),
              StatusIs(kInvalid, HasSubstr("model toy: too wide")));
}

TEST(Compile, RefusesBadInput) {
  {
    Toy toy;
    EXPECT_THAT(Compile(toy.g, toy.input, {.bucket_bytes = 0}),
                StatusIs(kInvalid, HasSubstr("bucket_bytes is 0")));
  }
  {
    Toy toy;
    toy.input.loss = toy.g.Features({{3, 4}});
    EXPECT_THAT(Compile(toy.g, toy.input, {}),
                StatusIs(kInvalid, HasSubstr("[B, 3, 4] but must be [B]")));
  }
  {
    Toy toy;
    toy.input.weights = kNone;
    EXPECT_THAT(Compile(toy.g, toy.input, {}),
                StatusIs(kInvalid, HasSubstr("weights is absent")));
  }
  {
    Toy toy;
    toy.input.update = nullptr;
    EXPECT_THAT(Compile(toy.g, toy.input, {}),
                StatusIs(kInvalid, HasSubstr("no update rule")));
  }
  {
    Toy toy;
    toy.input.results = {toy.g.Weights()};
    EXPECT_THAT(Compile(toy.g, toy.input, {}),
                StatusIs(kInvalid, HasSubstr("which no op computes")));
  }
}

// One-row products of a training graph: the machine's bound says what float32
// is good for, far below what bfloat16 would be off by.
TEST(Compile, BoundsOfTheOracleAreTight) {
  const Program program = CompileToy({.bfloat16_products = false});
  BoundedMachine machine(program, 2);
  machine.Set(program.features, std::vector<double>(24, 0.5));
  machine.Set(program.weights, {0.5, 0.5});
  machine.SetLabels({1, 2});
  for (const ProgramVariable& variable : program.variables)
    machine.Set(variable.tensor,
                std::vector<double>(
                    static_cast<std::size_t>(
                        program.tensor(variable.tensor).shape.elements()),
                    0.25));
  machine.Run(EntryPoint::kTrainMicrobatch);
  EXPECT_GT(machine.Get(program.loss)[0].bound, 0);
  EXPECT_LT(machine.Get(program.loss)[0].bound, 1e-4);
}

}  // namespace
}  // namespace podsim
