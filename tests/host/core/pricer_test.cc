// Simulated time of segments, by hand for one op and by its rules for a model.
#include "host/core/pricer.h"

#include "models/composites/expr.h"
#include "models/graph/compile.h"
#include "models/optimizer/optimizer.h"
#include "models/zoo/zoo.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

ChipFigures Figures() {
  ChipFigures figures;
  figures.clock_hz = 1e9;
  figures.matrix_flops = 50e12;
  figures.hbm_bytes_per_second = 400e9;
  return figures;
}

Program OneProduct(std::int64_t k, std::int64_t n) {
  Graph g("product");
  const Value w = g.Variable("w", {{k, n}}, Initializer::kZeros);
  const Value y = g.MatMul(g.Features({{k}}), w, "y");
  auto program = Compile(g, {.results = {y}}, {});
  EXPECT_TRUE(program.ok());
  return *std::move(program);
}

Program MlpToPrice(bool bfloat16) {
  ModelConfig config;
  config.set_name("mlp");
  config.add_example_shape(784);
  config.add_hidden(512);
  config.set_classes(10);
  auto program = BuildProgram(config, {.bfloat16_products = bfloat16});
  EXPECT_TRUE(program.ok());
  return *std::move(program);
}

TEST(WorkOf, PadsToTilesAndCountsPasses) {
  OpCost cost;
  cost.bytes_read = 4.0 * (24 * 200 + 200 * 100);
  cost.bytes_written = 4.0 * 24 * 100;
  cost.products = {{.m = 24, .n = 100, .k = 200, .rounded_operands = true}};
  const ChipWork rounded = WorkOf(cost, 128);
  EXPECT_EQ(rounded.matrix_flops, 2.0 * 24 * 200 * 100);
  EXPECT_EQ(rounded.matrix_unit_flops, 2.0 * 24 * 256 * 128);
  EXPECT_EQ(rounded.hbm_bytes, 4.0 * (24 * 200 + 200 * 100 + 24 * 100));
  cost.products = {{.m = 200, .n = 100, .k = 24, .rounded_operands = true}};
  EXPECT_EQ(WorkOf(cost, 128).matrix_unit_flops, 2.0 * 200 * 128 * 128);
  cost.products[0].rounded_operands = false;
  EXPECT_EQ(WorkOf(cost, 128).matrix_unit_flops, 6 * 2.0 * 200 * 128 * 128);
}

// Of 24 x 100 x 200 multiply-adds a quarter is work: padding and the holes of a
// dilation are not, and the matrix unit's tiles are spent in the same share.
TEST(WorkOf, TapsOnPaddingAndHolesAreNoWork) {
  OpCost cost;
  cost.products = {{.m = 24,
                    .n = 100,
                    .k = 200,
                    .rounded_operands = true,
                    .count = 3,
                    .idle_multiply_adds = 360000}};
  const ChipWork work = WorkOf(cost, 128);
  EXPECT_EQ(work.matrix_flops, 2.0 * 3 * 120000);
  EXPECT_EQ(work.matrix_unit_flops, 2.0 * 3 * 24 * 256 * 128 / 4);
}

TEST(WorkOf, AnExponentialIsTenOperations) {
  OpCost cost;
  cost.vector_flops = 4;
  cost.transcendentals = 1;
  EXPECT_EQ(WorkOf(cost, 128).vector_flops, 14);
}

TEST(PriceSegment, IsARooflineOfTheProduct) {
  const Program program = OneProduct(1024, 1024);
  const Segment& segment = program.entries.at(EntryPoint::kEval)[0];
  ASSERT_EQ(segment.instructions.size(), 2U);  // rounding, product
  // 8192 rows: 17.2 GFLOP in 0.34 ms of the matrix unit; the product's bytes
  // (2 per rounded feature, 4 per weight and result) take 0.14 ms, rounding's
  // write another 0.04 ms.
  const double flops = 2.0 * 8192 * 1024 * 1024;
  const CoreCost cost = PriceSegment(program, segment, 8192, Figures());
  EXPECT_EQ(cost.matrix_flops, flops);
  EXPECT_NEAR(cost.time.seconds(), flops / 50e12 + 2.0 * 8192 * 1024 / 400e9,
              1e-9);
  // 8 rows: the weights' 4 MiB are what takes time.
  const CoreCost small = PriceSegment(program, segment, 8, Figures());
  EXPECT_NEAR(small.time.seconds(),
              (4.0 * 1024 * 1024 + 8 * 1024 * (2 + 4 + 2)) / 400e9, 1e-9);
}

TEST(PriceSegment, ChargesForPartOfATile) {
  const Program narrow = OneProduct(128, 10);
  const Program full = OneProduct(128, 128);
  ChipFigures figures = Figures();
  figures.hbm_bytes_per_second = 1e18;
  figures.clock_hz = 1e18;
  const auto time = [&](const Program& program) {
    return PriceEntry(program, EntryPoint::kEval, 4096, figures).time.seconds();
  };
  EXPECT_NEAR(time(narrow), time(full), 1e-10);
}

TEST(PriceSegment, Float32ProductsCostMore) {
  const auto time = [](bool bfloat16) {
    return PriceEntry(MlpToPrice(bfloat16), EntryPoint::kTrainMicrobatch, 4096,
                      Figures())
        .time;
  };
  EXPECT_GT(time(false), time(true));
}

TEST(PriceSegment, CollectivesCostNothingHere) {
  const CoreCost cost =
      PriceEntry(MlpToPrice(true), EntryPoint::kReduce, 128, Figures());
  EXPECT_EQ(cost.time.picoseconds(), 0);
}

TEST(PriceEntry, UpdateDoesNotDependOnTheBatch) {
  const Program program = MlpToPrice(true);
  const auto time = [&](EntryPoint entry, std::int64_t rows) {
    return PriceEntry(program, entry, rows, Figures()).time;
  };
  EXPECT_GT(time(EntryPoint::kUpdate, 1).picoseconds(), 0);
  EXPECT_EQ(time(EntryPoint::kUpdate, 1), time(EntryPoint::kUpdate, 1000));
  EXPECT_LT(time(EntryPoint::kTrainMicrobatch, 128),
            time(EntryPoint::kTrainMicrobatch, 1024));
  EXPECT_LT(time(EntryPoint::kEval, 128),
            time(EntryPoint::kTrainMicrobatch, 128));
}

TEST(PriceEntry, AnAbsentEntryCostsNothing) {
  const Program program = OneProduct(16, 16);  // evaluates, has no loss
  ASSERT_FALSE(program.entries.contains(EntryPoint::kTrainMicrobatch));
  EXPECT_GT(PriceEntry(program, EntryPoint::kEval, 128, Figures()).hbm_bytes,
            0);
  const CoreCost cost =
      PriceEntry(program, EntryPoint::kTrainMicrobatch, 128, Figures());
  EXPECT_EQ(cost.time.picoseconds(), 0);
  EXPECT_EQ(cost.hbm_bytes, 0);
}

// A layer under the mean of its squares; with an evaluation, which has a larger
// product of its own.
Program Evaluated(bool evaluates) {
  Graph g("evaluated");
  const Value x = g.Features({{64}});
  const auto squares = [&](Value kernel, const char* name) {
    const Expr y(g, g.MatMul(x, kernel), name);
    return (y * y).Sum({1}).value();
  };
  const Value kernel = g.Variable("kernel", {{64, 32}}, Initializer::kZeros);
  CompileInput input = {.update = Optimizer};
  if (evaluates) {
    OpAttributes wide;
    wide.shape = {{64, 4096}};
    const Value constant = g.Apply(OpCode::kConstant, {}, wide)[0];
    input.metrics = {{.name = "wide",
                      .value = squares(constant, "wide"),
                      .passes = MetricPasses::kEvaluation}};
  }
  input.loss = squares(kernel, "narrow");
  auto program = Compile(g, input, {});
  EXPECT_THAT(program, testing::IsOk());
  return program.value_or(Program());
}

TEST(PriceEntry, AnEvaluationCostsATrainingStepNothing) {
  const auto cost = [](EntryPoint entry, bool evaluates) {
    return PriceEntry(Evaluated(evaluates), entry, 128, Figures());
  };
  for (const EntryPoint entry :
       {EntryPoint::kTrainMicrobatch, EntryPoint::kUpdate}) {
    const CoreCost with = cost(entry, true);
    const CoreCost without = cost(entry, false);
    EXPECT_GT(without.time.picoseconds(), 0);
    EXPECT_EQ(with.time, without.time);
    EXPECT_EQ(with.matrix_flops, without.matrix_flops);
    EXPECT_EQ(with.vector_flops, without.vector_flops);
    EXPECT_EQ(with.hbm_bytes, without.hbm_bytes);
  }
  EXPECT_GT(cost(EntryPoint::kEval, true).matrix_flops,
            100 * cost(EntryPoint::kEval, false).matrix_flops);
}

// Six matrix products per example and weight, forward and backward, but for
// the gradient of the input, which nobody asks for.
TEST(PriceEntry, CountsTheFlopsOfTraining) {
  const CoreCost cost = PriceEntry(
      MlpToPrice(true), EntryPoint::kTrainMicrobatch, 100, Figures());
  EXPECT_EQ(cost.matrix_flops, 2.0 * 100 * (2 * 784 * 512 + 3 * 512 * 10));
}

}  // namespace
}  // namespace podsim
