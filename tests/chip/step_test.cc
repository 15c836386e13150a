// Whole training steps on a chip: what their kernels come to, by hand for small
// models and by what holds of every model.
#include "chip/step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "interconnect/topology/hardware.h"
#include "models/composites/batch_norm.h"
#include "models/composites/expr.h"
#include "models/optimizer/optimizer.h"
#include "tests/chip/chip_cases.h"
#include "tests/models/graph/toy_program.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using testing::Chip;
using testing::Fold;
using testing::Fused;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::Times;
using testing::ZooModel;

ChipFigures FiguresNamed(const char* generation) {
  return FiguresOf(*FindGeneration(ShippedHardware(), generation));
}

ChipStep MlpStep(std::int64_t rows, const CompileOptions& options = {}) {
  return ChipStepOf(ZooModel("mlp", {784}, options), rows, FiguresNamed("v3"));
}

// Without what padding costs.
double UsefulFlops(const ChipKernel& kernel) {
  double flops = 0;
  for (const ChipProduct& product : kernel.products)
    flops += 2 * product.multiply_adds;
  return flops;
}

double UsefulFlops(const ChipProgram& program) {
  double flops = 0;
  for (const ChipKernel& kernel : program.kernels) flops += UsefulFlops(kernel);
  return flops;
}

// Of each kernel from `first` on: FLOPs of the matrix unit and the vector unit,
// bytes.
std::vector<std::array<double, 3>> WorksOf(const ChipProgram& program,
                                           std::int32_t first = 0) {
  std::vector<std::array<double, 3>> works;
  for (std::size_t i = static_cast<std::size_t>(first);
       i < program.kernels.size(); ++i) {
    const KernelWork work = WorkOf(program.kernels[i]);
    works.push_back({work.matrix_flops, work.vector_flops, work.hbm_bytes});
  }
  return works;
}

SimTime SumOf(const std::vector<KernelTime>& times) {
  SimTime sum;
  for (const KernelTime& each : times) sum += each.time;
  return sum;
}

SimTime StepTime(const Program& program, std::int64_t rows,
                 const ChipFigures& chip) {
  return SumOf(TimesOf(ChipStepOf(program, rows, chip).program, chip));
}

// Six matrix products per example and weight, forward and backward, but for
// the gradient of the input, which nobody asks for.
TEST(ChipStepOf, CountsTheFlopsOfTraining) {
  EXPECT_EQ(UsefulFlops(MlpStep(100).program),
            2.0 * 100 * (2 * 784 * 512 + 3 * 512 * 10));
}

TEST(ChipStepOf, WithoutTrainingThereIsNoStep) {
  Graph g("evaluates");
  const Value y = Times(g, g.Features({{16}}), 16, "y");
  const ChipFigures chip = FiguresNamed("v3");
  const ChipStep step = ChipStepOf(testing::Evaluating(g, {y}), 128, chip);
  EXPECT_THAT(step.program.kernels, IsEmpty());
  EXPECT_THAT(step.program.collectives, IsEmpty());
  EXPECT_THAT(TimesOf(step.program, chip), IsEmpty());
}

std::vector<std::string> GenerationsThatKeepValues(const Program& program) {
  std::vector<std::string> names;
  for (const Generation& generation : ShippedHardware().generations()) {
    const ChipStep step = ChipStepOf(program, 128, FiguresOf(generation));
    const bool keeps = std::any_of(
        step.program.kernels.begin(), step.program.kernels.end(),
        [](const ChipKernel& kernel) {
          return std::any_of(
              kernel.writes.begin(), kernel.writes.end(),
              [](const ChipTransfer& each) { return each.on_chip; });
        });
    if (keeps) names.push_back(generation.name());
  }
  return names;
}

// v2 and v3 have no room beside the tiles of the kernel that runs.
TEST(ChipStepOf, KeepsOnChipWhatTheGenerationHasRoomFor) {
  EXPECT_THAT(GenerationsThatKeepValues(ZooModel("mlp", {784})),
              ::testing::ElementsAre("v4", "v5e", "v5p", "v6e", "tpu7x"));
}

// v3 and v4 have matrix units of one size.
TEST(WithOnChip, IsTheStepOfAChipWithSuchRoom) {
  const Program program = ZooModel("mlp", {784});
  const ChipFigures v4 = FiguresNamed("v4");
  const ChipStep all = ChipStepOf(program, 128, FiguresNamed("v3"));
  const ChipStep kept = ChipStepOf(program, 128, v4);
  EXPECT_NE(WorksOf(kept.program), WorksOf(all.program));
  EXPECT_EQ(WorksOf(WithOnChip(all, 128, v4.on_chip_bytes).program),
            WorksOf(kept.program));
  EXPECT_EQ(WorksOf(WithOnChip(kept, 128, 0).program), WorksOf(all.program));
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
  CompileInput input;
  input.update = Optimizer;
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
  EXPECT_TRUE(program.ok()) << program.status();
  return program.ok() ? *std::move(program) : Program();
}

TEST(ChipStepOf, AnEvaluationCostsATrainingStepNothing) {
  const auto works = [](bool evaluates) {
    return WorksOf(
        ChipStepOf(Evaluated(evaluates), 128, FiguresNamed("v3")).program);
  };
  EXPECT_THAT(works(false), ::testing::Not(IsEmpty()));
  EXPECT_EQ(works(true), works(false));
  const auto evaluation = [](bool evaluates) {
    return UsefulFlops(
        Fused(Evaluated(evaluates), EntryPoint::kEval, {.rows = 128}).program);
  };
  EXPECT_GT(evaluation(true), 100 * evaluation(false));
}

TEST(ChipStepOf, TheUpdateDoesNotDependOnTheBatch) {
  const auto update = [](std::int64_t rows) {
    const ChipProgram program = MlpStep(rows).program;
    return WorksOf(program, FirstOfUpdate(program));
  };
  EXPECT_THAT(update(1), SizeIs(4)) << "two weights and two biases";
  EXPECT_EQ(update(1), update(1000));
}

TEST(WorkOf, IsTheKernelsWithoutWhatStaysOnChip) {
  ChipKernel kernel;
  kernel.matrix_flops = 100;
  kernel.vector_flops = 4;
  kernel.transcendentals = 1;
  kernel.reads = {{0, 1024}, {1, 2048}, {3, 512, /*on_chip=*/true}};
  kernel.writes = {{2, 4096}, {4, 8192, /*on_chip=*/true}};
  const KernelWork work = WorkOf(kernel);
  EXPECT_EQ(work.matrix_flops, 100);
  EXPECT_EQ(work.vector_flops, 4);
  EXPECT_EQ(work.transcendentals, 1);
  EXPECT_EQ(work.hbm_bytes, 1024 + 2048 + 4096);
}

// What an all-reduce of gradients made.
bool ReadsReducedGradient(const ChipGraph& graph, const ChipKernel& kernel) {
  return std::any_of(
      kernel.reads.begin(), kernel.reads.end(), [&](const ChipTransfer& each) {
        const std::int32_t node = graph.value(each.value).node;
        return node != kNoChipNode && graph.node(node).bucket >= 0;
      });
}

// Clipping makes numbers of reduced gradients, one of each bucket: not before
// the backward pass is over.
TEST(FirstOfUpdate, ClippedBucketsWaitForTheBackwardPass) {
  CompileOptions options;
  options.bucket_bytes = 1;
  options.clip_norm = 1;
  const ChipStep step = MlpStep(128, options);
  const std::vector<ChipKernel>& kernels = step.program.kernels;
  const auto first = kernels.begin() + FirstOfUpdate(step.program);
  ASSERT_LT(first, kernels.end());
  EXPECT_TRUE(ReadsReducedGradient(step.graph, *first));
  for (auto kernel = first; kernel != kernels.end(); ++kernel)
    EXPECT_NE(kernel->kind, ChipKernelKind::kProduct)
        << "kernel " << kernel - kernels.begin();
  for (auto kernel = kernels.begin(); kernel != first; ++kernel)
    EXPECT_FALSE(ReadsReducedGradient(step.graph, *kernel));
}

TEST(FirstOfUpdate, IsTheFirstKernelThatReadsAReducedGradient) {
  CompileOptions options;
  options.bucket_bytes = 1;  // a bucket for each gradient
  const ChipStep step = MlpStep(128, options);
  const std::vector<ChipKernel>& kernels = step.program.kernels;
  ASSERT_THAT(step.program.collectives, SizeIs(4));
  const auto first =
      std::find_if(kernels.begin(), kernels.end(), [&](const ChipKernel& each) {
        return ReadsReducedGradient(step.graph, each);
      });
  EXPECT_EQ(FirstOfUpdate(step.program), first - kernels.begin());
  EXPECT_EQ(kernels.end() - first, 4);
  for (auto kernel = kernels.begin(); kernel != kernels.end(); ++kernel)
    EXPECT_EQ(step.graph.node(kernel->main).op == OpCode::kUpdate,
              kernel >= first)
        << "kernel " << kernel - kernels.begin();
}

// A normalisation over all cores: its sums are joined in mid-step.
ChipStep JoinedStep() {
  Graph g("joins");
  const Value y = Times(g, g.Features({{128}}), 256, "y");
  const Value scale = g.Variable("scale", {{256}}, Initializer::kOnes);
  const Value bias = g.Variable("bias", {{256}}, Initializer::kZeros);
  const Value normal =
      BatchNormTraining(g, y, scale, bias, 1e-5, "norm", /*group=*/0).y;
  const Value loss =
      Fold(g, testing::Op(g, "tanh", {normal}, "tanh"), "add", {1}, "loss");
  return ChipStepOf(testing::Training(g, loss), 128, FiguresNamed("v3"));
}

TEST(FirstOfUpdate, CollectivesInMidStepAreNoUpdates) {
  const ChipProgram program = JoinedStep().program;
  const std::int32_t first = FirstOfUpdate(program);
  int in_mid_step = 0;
  for (const ChipCollective& each : program.collectives) {
    if (each.bucket >= 0) continue;
    ++in_mid_step;
    EXPECT_LT(each.needed, first);
  }
  EXPECT_GT(in_mid_step, 0);
  EXPECT_LT(static_cast<std::size_t>(first), program.kernels.size());
}

TEST(FirstOfUpdate, WithoutCollectivesNoKernelWaits) {
  Graph g("alone");
  const Value y = Times(g, g.Features({{128}}), 256, "y");
  const ChipProgram program =
      Fused(testing::Evaluating(g, {y}), EntryPoint::kEval, {.rows = 128})
          .program;
  ASSERT_THAT(program.kernels, SizeIs(1));
  EXPECT_EQ(FirstOfUpdate(program), 1);
  EXPECT_EQ(FirstOfUpdate({}), 0);
}

TEST(ChipStepOf, CollectivesAreReadyBeforeTheyAreNeeded) {
  CompileOptions options;
  options.bucket_bytes = 1;
  for (const ChipProgram& program :
       {MlpStep(128, options).program, JoinedStep().program}) {
    EXPECT_THAT(program.collectives, ::testing::Not(IsEmpty()));
    for (const ChipCollective& each : program.collectives)
      EXPECT_LT(each.ready, each.needed);
  }
}

// x [B, 1024] . w [1024, 1024] at 50 TFLOP/s and 400 GB/s, and 1 us besides.
TEST(TimesOf, IsWhatTheSlowestPartOfEachKernelTakes) {
  ChipFigures chip;
  chip.clock_hz = 1e9;
  chip.matrix_flops = 50e12;
  chip.hbm_bytes_per_second = 400e9;
  chip.kernel_seconds = 1e-6;
  chip.vector_flops_per_cycle_per_core = 2048;
  Graph g("product");
  const Value y = Times(g, g.Features({{1024}}), 1024, "y");
  const Program program = testing::Evaluating(g, {y});
  const auto time = [&](std::int64_t rows) {
    const Chip fused = Fused(program, EntryPoint::kEval, {.rows = rows});
    EXPECT_THAT(fused.program.kernels, SizeIs(1));
    return TimesOf(fused.program, chip).at(0);
  };
  // 17.2 GFLOP take 344 us, 71 MB 178.
  EXPECT_NEAR(time(8192).time.seconds(),
              2.0 * 8192 * 1024 * 1024 / 50e12 + 1e-6, 1e-12);
  EXPECT_EQ(time(8192).bound, KernelBound::kCompute);
  // The weight's 4 MiB take 10.5 us.
  EXPECT_NEAR(time(8).time.seconds(),
              4.0 * (1024 * 1024 + 2 * 8 * 1024) / 400e9 + 1e-6, 1e-12);
  EXPECT_EQ(time(8).bound, KernelBound::kHbm);
}

TEST(TimesOf, IsPriceKernelOfEach) {
  const ChipFigures chip = FiguresNamed("v3");
  const ChipProgram program = MlpStep(128).program;
  const std::vector<KernelTime> times = TimesOf(program, chip);
  ASSERT_EQ(times.size(), program.kernels.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    const KernelTime alone =
        PriceKernel(WorkOf(program.kernels[i]), RatesOf(chip));
    EXPECT_EQ(times[i].time, alone.time);
    EXPECT_EQ(times[i].bound, alone.bound);
  }
}

TEST(TimesOf, Float32ProductsCostMore) {
  const auto seconds = [](bool bfloat16) {
    const Program program =
        ZooModel("mlp", {784}, {.bfloat16_products = bfloat16});
    return StepTime(program, 4096, FiguresNamed("v3")).seconds();
  };
  EXPECT_GT(seconds(false), seconds(true));
}

// Buckets hold the first layer's gradients first; the chip makes them last, and
// multiplies each by the core's share in the kernel that makes it or in the
// next one.
TEST(ChipStepOf, OwnGradientsAreReadyWhereTheirKernelsEnd) {
  testing::Toy toy;
  toy.BringGradients();
  toy.input.update = Optimizer;
  ASSERT_OK_AND_ASSIGN(const Program program,
                       Compile(toy.g, toy.input, {.bucket_bytes = 1}));
  const ChipProgram step = ChipStepOf(program, 32, FiguresNamed("v3")).program;
  std::vector<std::int32_t> travel;
  std::vector<std::int32_t> ready(program.buckets.size());
  for (const ChipCollective& collective : step.collectives) {
    travel.push_back(collective.bucket);
    ready.at(static_cast<std::size_t>(collective.bucket)) = collective.ready;
  }
  EXPECT_EQ(travel, (std::vector<std::int32_t>{4, 5, 2, 3, 0, 1}));
  // Of layer_2/w, layer_1/w and layer_0/w.
  EXPECT_LT(ready[4], ready[2]);
  EXPECT_LT(ready[2], ready[0]);
  EXPECT_LT(ready[0], FirstOfUpdate(step));
}

const std::vector<Program>& Steps() {
  static const auto& programs = *new std::vector<Program>{
      ZooModel("mlp", {784}), ZooModel("lenet5_bn", {28, 28}),
      ZooModel("encoder", {64}, testing::UpdateBy("adam"))};
  return programs;
}

TEST(TimesOf, IsNeverFasterThanThePeaks) {
  constexpr double kHalfAPicosecond = 0.5e-12;
  for (const Generation& generation : ShippedHardware().generations()) {
    const ChipFigures chip = FiguresOf(generation);
    for (const Program& program : Steps()) {
      SCOPED_TRACE(generation.name() + " " + program.name);
      const ChipProgram step = ChipStepOf(program, 32, chip).program;
      const std::vector<KernelTime> times = TimesOf(step, chip);
      ASSERT_EQ(times.size(), step.kernels.size());
      for (std::size_t i = 0; i < times.size(); ++i)
        EXPECT_GE(
            times[i].time.seconds() + kHalfAPicosecond,
            std::max(UsefulFlops(step.kernels[i]) / chip.matrix_flops,
                     step.kernels[i].hbm_bytes() / chip.hbm_bytes_per_second));
    }
  }
}

// At multiples of what the lanes hold.
TEST(TimesOf, MoreExamplesTakeLonger) {
  for (const Program& program : Steps()) {
    SCOPED_TRACE(program.name);
    SimTime before;
    for (const std::int64_t rows : {128, 256, 384, 512}) {
      const SimTime time = StepTime(program, rows, FiguresNamed("v3"));
      EXPECT_GT(time, before) << rows << " examples";
      before = time;
    }
  }
}

}  // namespace
}  // namespace podsim
