// Which op is named for a loss, or a gradient, that is not finite.
#include "host/core/first_not_finite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "models/composites/expr.h"
#include "models/graph/compile.h"
#include "models/optimizer/optimizer.h"
#include "tests/host/core/core_fixture.h"
#include "tests/host/core/loops.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr float kInfinite = std::numeric_limits<float>::infinity();
constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();
constexpr std::int64_t kFeatures = 3;

// Losses of z = x * w, [B, 3].
using LossOf = std::function<Expr(const Expr& z)>;

Program ProgramWithLoss(const LossOf& loss_of) {
  Graph g("finite");
  const Expr x(g, g.Input("x", DType::kFloat32, {{kFeatures}}), "");
  const Expr w(g, g.Variable("w", {{kFeatures}}, Initializer::kOnes), "");
  const Expr losses = loss_of(x * w.Broadcast(x.shape(), {1}));
  const auto program = Compile(g,
                               {.loss = losses.Sum({1}).value(),
                                .weights = g.ExampleWeights(),
                                .update = Optimizer},
                               {});
  EXPECT_THAT(program.status(), IsOk());
  return program.value_or(Program());
}

struct OnePass {
  std::vector<float> x;  // [B, 3]
  float w = 1;           // in each element
  bool of_gradient = false;
};

// What is told of the loss, or of w's gradient; "finite" if nothing is.
std::string Told(const Program& program, OnePass pass) {
  const auto rows = static_cast<std::int64_t>(pass.x.size()) / kFeatures;
  const auto floats = [](std::int64_t count, float value = 0) {
    return std::vector<float>(static_cast<std::size_t>(count), value);
  };
  std::vector<float> variables = floats(program.variable_elements, pass.w);
  std::vector<float> gradients = floats(program.gradient_elements);
  std::vector<float> batched = floats(program.batched_elements_per_row * rows);
  std::vector<float> per_core = floats(program.per_core_elements);
  std::vector<float> scratch = floats(program.scratch_elements);
  std::vector<float> outputs = floats(program.output_elements_per_row * rows);
  const std::vector<float> weights =
      floats(rows, 1.0F / static_cast<float>(rows));
  Workspace workspace;
  CoreBuffers buffers = {.variables = variables,
                         .workspace = &workspace,
                         .gradients = gradients,
                         .batched = batched,
                         .per_core = per_core,
                         .scratch = scratch,
                         .outputs = outputs};
  for (const ProgramInput& input : program.inputs)
    buffers.inputs.push_back(RowsOf(
        DType::kFloat32,
        std::span<const float>(input.is_example_weight ? weights : pass.x)));
  const TensorId of =
      pass.of_gradient ? program.buckets[0].gradients[0] : program.loss;
  Sequential loop;
  const auto seen = InspectPass({.program = program,
                                 .rows = rows,
                                 .panels = kSmallPanels,
                                 .kernels = KernelsNamed(KernelNames().back()),
                                 .parallel = loop,
                                 .buffers = buffers},
                                of);
  if (!seen.ok()) return seen.status().ToString();
  const auto found = FindFirstNotFinite(program, *seen, of);
  if (!found) return "finite";
  return NotFiniteText(
      program, *seen, *found,
      found->row < 0 ? "" : "in row " + std::to_string(found->row));
}

std::string Told(const LossOf& loss_of, const OnePass& pass) {
  return Told(ProgramWithLoss(loss_of), pass);
}

TEST(FirstNotFiniteTest, AnExponentialThatOverflows) {
  const LossOf loss = [](const Expr& z) {
    return z.Apply("exponential").Apply("log") * 2;
  };
  EXPECT_EQ(Told(loss, {.x = {0, 1, 2, 3, 4, 88}}), "finite");
  EXPECT_THAT(Told(loss, {.x = {0, 1, 2, 3, 104.5, 5}}),
              AllOf(StartsWith("exponential (exponential_"),
                    HasSubstr("makes inf in row 1, from operands in "
                              "[0, 104.5]")));
}

TEST(FirstNotFiniteTest, ALogarithmOfZeroAndAQuotientOfZeros) {
  EXPECT_THAT(Told([](const Expr& z) { return z.Apply("log") * 3; },
                   {.x = {1, 1, 1, 1, 1, 1, 0.5, 0, 0.25}}),
              AllOf(StartsWith("log (log_"),
                    HasSubstr("makes -inf in row 2, from operands in [0, 1]")));
  EXPECT_THAT(Told([](const Expr& z) { return z / (z * z); },
                   {.x = {1, 1, 1, 1, 2, 0}}),
              AllOf(StartsWith("divide (divide_"),
                    HasSubstr("makes nan in row 1, from operands in [0, 2], "
                              "[0, 4]")));
}

TEST(FirstNotFiniteTest, WhatDoesNotReachTheLossIsPassedOver) {
  // log(0) stands behind a select, before an exponential that overflows.
  const LossOf guarded = [](const Expr& z) {
    const Expr safe =
        z.Compare("GT", z.Splat(0)).Select(z.Apply("log"), z.Splat(0));
    return safe + (z * 100).Apply("exponential");
  };
  EXPECT_EQ(Told(guarded, {.x = {0, 0, 0, 0, 0, 0.5}}), "finite");
  EXPECT_THAT(Told(guarded, {.x = {0, 0, 0, 0, 0, 1}}),
              StartsWith("exponential ("));
}

TEST(FirstNotFiniteTest, AMasksInfinityIsNoOpsFault) {
  // -inf where z is 0, as in an attention; a row of zeros has -inf - -inf.
  const LossOf masked = [](const Expr& z) {
    const Expr scores =
        z.Compare("NE", z.Splat(0)).Select(z, z.Splat(-kInfinite));
    const Expr top = scores.Reduce("maximum", {1}).SpreadOver(z, {1});
    return (scores - top).Apply("exponential");
  };
  EXPECT_EQ(Told(masked, {.x = {0, 1, 2, 0, 0, 5}}), "finite");
  EXPECT_THAT(Told(masked, {.x = {0, 1, 2, 0, 0, 0}}),
              AllOf(StartsWith("subtract ("),
                    HasSubstr("makes nan in row 1, from operands in [1, 2] "
                              "and -inf, [2, 2] and -inf")));
  // An operand that overflowed beside them is one's fault.
  EXPECT_THAT(Told([&](const Expr& z) { return masked(z * z); },
                   {.x = {0, 1, 2, 0, 1e30F, 0}}),
              AllOf(StartsWith("multiply ("), HasSubstr("makes inf in row 1")));
}

TEST(FirstNotFiniteTest, AConstantThatIsInfiniteIfNothingElseIs) {
  EXPECT_THAT(
      Told([](const Expr& z) { return z + kInfinite; }, {.x = {1, 1, 1}}),
      AllOf(StartsWith("constant ("), HasSubstr("makes inf")));
}

TEST(FirstNotFiniteTest, AGradientAlone) {
  const LossOf root = [](const Expr& z) { return z.Apply("sqrt"); };
  const OnePass pass = {.x = {1, 1, 1, 1, 1, 1, 1, 0, 1}};
  EXPECT_EQ(Told(root, pass), "finite");
  OnePass backward = pass;
  backward.of_gradient = true;
  // d sqrt = 1 / (2 sqrt): the gradient of x * w then takes 0 times that.
  EXPECT_THAT(Told(root, backward),
              AllOf(HasSubstr("sqrt"), HasSubstr("grad"),
                    HasSubstr("makes inf in row 2, from operands in "),
                    HasSubstr("[0, 1]")));
  backward.x = {1, 1, 1};
  EXPECT_EQ(Told(root, backward), "finite");
}

TEST(FirstNotFiniteTest, VariablesAndInputsAreNoOpsFault) {
  const LossOf square = [](const Expr& z) { return z * z; };
  EXPECT_EQ(Told(square, {.x = {1, 2, 3}, .w = kNotANumber}),
            "the variable w holds nan");
  EXPECT_EQ(Told(square, {.x = {1, 2, 3, 4, 5, -kInfinite}}),
            "the input x holds -inf in row 1");
}

// Of another core: this one's operand is finite.
TEST(FirstNotFiniteTest, WhatAnAllReduceBringsIsSaidToComeFromElsewhere) {
  Graph g("joined");
  const Value x = g.Input("x", DType::kFloat32, {{kFeatures}});
  const Value w = g.Variable("w", {{kFeatures}}, Initializer::kOnes);
  const Expr z(g, x, "");
  OpAttributes sum;
  sum.word = "add";
  const Expr shared = z.Sum({0}).Apply("all_reduce", {}, sum);
  const Expr losses = z * z.With(w).Broadcast(z.shape(), {1}) *
                      shared.Broadcast(z.shape(), {1});
  ASSERT_OK_AND_ASSIGN(const Program program,
                       Compile(g,
                               {.loss = losses.Sum({1}).value(),
                                .loss_passes = MetricPasses::kTraining,
                                .weights = g.ExampleWeights(),
                                .update = Optimizer},
                               {}));
  SeenTensors seen(program.tensors.size());
  bool is_joined = false;
  for (const Segment& segment :
       program.entries.at(EntryPoint::kTrainMicrobatch)) {
    if (segment.joins_tensor()) {
      is_joined = true;
      seen[static_cast<std::size_t>(segment.tensor)].has_nan = true;
    }
    for (const Instruction& instruction : segment.instructions)
      for (const TensorId id : instruction.outputs)
        if (is_joined)
          seen[static_cast<std::size_t>(program.root(id))].has_nan = true;
  }
  const auto found = FindFirstNotFinite(program, seen, program.loss);
  ASSERT_TRUE(found.has_value());
  EXPECT_THAT(NotFiniteText(program, seen, *found, ""),
              AllOf(StartsWith("all_reduce ("), HasSubstr("another core")));
}

TEST(LookAtTest, SaysTheExampleWhereverTheBatchIs) {
  std::vector<float> values(12, 2);
  values[7] = kNotANumber;
  values[9] = kInfinite;
  values[0] = -3;
  Array array = {.dims = {3, 4},
                 .data = reinterpret_cast<std::byte*>(values.data())};
  const SeenTensor rows = LookAt(array, 0, 3);
  EXPECT_TRUE(rows.has_nan && rows.has_inf);
  EXPECT_EQ(rows.bad_row, 1);
  EXPECT_EQ(rows.nan_row, 1);
  EXPECT_EQ(rows.least, -3);
  EXPECT_EQ(rows.greatest, 2);
  EXPECT_EQ(LookAt(array, 1, 4).bad_row, 3);
  EXPECT_EQ(LookAt(array, -1, 4).bad_row, -1);
  EXPECT_EQ(LookAt(array, 1, 2).bad_row, -1);  // 2 of each of 2 examples
  array.dtype = DType::kInt32;
  EXPECT_TRUE(LookAt(array, 0, 3).is_finite());
  std::vector<std::uint16_t> halves = {0x3f80, 0x7f80};  // 1, inf
  array = {.dtype = DType::kBFloat16,
           .dims = {2},
           .element_bytes = 2,
           .data = reinterpret_cast<std::byte*>(halves.data())};
  EXPECT_TRUE(LookAt(array, 0, 2).has_inf);
  EXPECT_EQ(LookAt(array, 0, 2).greatest, 1);
}

}  // namespace
}  // namespace podsim::testing
