// What is fused, and that it changes no bits.
#include "host/core/fusion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "models/composites/attention.h"
#include "models/composites/batch_norm.h"
#include "models/composites/bias_activation.h"
#include "models/composites/expr.h"
#include "models/composites/gelu.h"
#include "models/composites/layer_norm.h"
#include "models/composites/softmax.h"
#include "models/graph/compile.h"
#include "models/ops/op_table.h"
#include "models/optimizer/optimizer.h"
#include "models/zoo/zoo.h"
#include "tests/host/core/program_memory.h"

namespace podsim::testing {
namespace {

constexpr std::int64_t kFusedCores = 3;
constexpr std::int64_t kFusedRowsOfCore = 5;
constexpr std::int64_t kFusedRows = kFusedCores * kFusedRowsOfCore;

const PodsimKernels& BestKernels() {
  return KernelsNamed(KernelNames().back());
}

std::vector<std::uint32_t> BitsOf(const Program& program, const Panels& panels,
                                  const Fusions* fusions) {
  ProgramMemory memory(program, kFusedRows, kFusedRowsOfCore);
  for (const EntryPoint entry :
       {EntryPoint::kTrainMicrobatch, EntryPoint::kEval})
    for (const Segment& segment : program.entries.at(entry))
      if (segment.kind == SegmentKind::kCompute)
        memory.Run(segment, panels, fusions);
  return memory.Results();
}

void ExpectSameBits(const Program& program) {
  const Fusions fusions(program, BestKernels());
  const auto alone = BitsOf(program, {}, nullptr);
  EXPECT_EQ(BitsOf(program, {}, &fusions), alone);
  for (const std::int64_t rows : {1, 2})
    EXPECT_EQ(BitsOf(program, {.rows = rows}, &fusions), alone);
}

// A model whose loss is the mean square of what `make` makes of x, [B] and
// `dims`, behind a weight, so that there is a way back through all of it.
using Make = std::function<Value(Graph& graph, Value x)>;

Program FusedProgramOf(const Dims& dims, const Make& make) {
  Graph graph("fused");
  const Value input = graph.Input("features", DType::kFloat32, {dims});
  const Value scale = graph.Variable("scale", {}, Initializer::kOnes);
  const Expr x(graph, input, "");
  const Value y =
      make(graph, (x * x.With(scale).Broadcast(x.shape(), {})).value());
  const Expr result(graph, y, "");
  const Expr loss = (result * result).Sum(OtherDims(result.rank(), {0}));
  const auto program = Compile(graph,
                               {.loss = loss.value(),
                                .weights = graph.ExampleWeights(),
                                .update = Optimizer},
                               {});
  EXPECT_THAT(program, IsOk());
  return program.value_or(Program());
}

Value OfLast(Graph& graph, Value x, const std::string& name) {
  return graph.Variable(name, {{graph.type(x).shape.dims.back()}},
                        Initializer::kSmallNormal);
}

// x times a number that follows B: each core's own, between row groups.
Expr TimesShare(Graph& graph, const Expr& x) {
  OpAttributes of_batch;
  of_batch.shape = x.shape();
  of_batch.value = 3;
  of_batch.lists["batch_power"] = {-1};
  return x * x.With(graph.Apply(OpCode::kConstant, {}, of_batch, "share")[0]);
}

struct Composite {
  std::string name;
  Dims dims;
  Make make;
};

std::vector<Composite> Composites() {
  std::vector<Composite> all;
  for (const std::int64_t width : {1, 3, 16, 37, 64, 1500, 5000}) {
    const auto add = [&](const char* name, const Make& make) {
      all.push_back({absl::StrCat(name, "_", width), {4, width}, make});
    };
    add("softmax", [](Graph& graph, Value x) { return Softmax(graph, x, -1); });
    add("layer_norm", [](Graph& graph, Value x) {
      return LayerNorm(graph, x, OfLast(graph, x, "norm"),
                       OfLast(graph, x, "bias"), 1e-5);
    });
    add("gelu", [](Graph& graph, Value x) { return Gelu(graph, x); });
    add("exact_gelu",
        [](Graph& graph, Value x) { return ExactGelu(graph, x); });
    add("bias_tanh", [](Graph& graph, Value x) {
      return BiasActivation(graph, x, OfLast(graph, x, "bias"),
                            Activation::kTanh);
    });
    // The mean over the batch of something, as JAX lowers it.
    add("share", [](Graph& graph, Value x) {
      return TimesShare(graph, Expr(graph, x, "")).value();
    });
    add("batch_norm", [](Graph& graph, Value x) {
      return BatchNormTraining(graph, x, OfLast(graph, x, "norm"),
                               OfLast(graph, x, "bias"), 1e-5)
          .y;
    });
  }
  all.push_back({"attention", {9, 24}, [](Graph& graph, Value x) {
                   return Attention(graph, x, x, x, 3);
                 }});
  all.push_back({"inner_softmax", {4, 6, 5}, [](Graph& graph, Value x) {
                   return Softmax(graph, x, 2);
                 }});
  return all;
}

class FusedComposite : public ::testing::TestWithParam<Composite> {
 protected:
  const Program program_ = FusedProgramOf(GetParam().dims, GetParam().make);
};

TEST_P(FusedComposite, HasTheBitsOfItsOps) { ExpectSameBits(program_); }

INSTANTIATE_TEST_SUITE_P(Composites, FusedComposite,
                         ::testing::ValuesIn(Composites()),
                         [](const auto& info) { return info.param.name; });

// Ops of the training's pass that could run tile by tile, but do not.
std::vector<std::string> LeftAlone(const Program& program) {
  const Fusions fusions(program, BestKernels());
  std::vector<std::string> alone;
  for (const Segment& segment :
       program.entries.at(EntryPoint::kTrainMicrobatch))
    for (std::size_t i = 0; i < segment.instructions.size();) {
      const Instruction& each = segment.instructions[i];
      if (const Fusion* fusion = fusions.At(each)) {
        i += fusion->instructions.size();
        continue;
      }
      ++i;
      const ProgramTensor& out = program.tensor(each.outputs[0]);
      if (out.batched() && out.shape.rank() > 1)
        alone.push_back(ToString(each.op));
    }
  return alone;
}

const Composite& CompositeNamed(const std::string& name) {
  static const std::vector<Composite> kAll = Composites();
  return *std::find_if(kAll.begin(), kAll.end(), [&](const Composite& each) {
    return each.name == name;
  });
}

// Forward, backward and the loss: at most one op has no neighbour to run with.
TEST(FusionTest, SoftmaxLayerNormGeluAndActivationsRunInTiles) {
  for (const char* name : {"softmax_64", "layer_norm_64", "gelu_64",
                           "exact_gelu_64", "bias_tanh_64", "batch_norm_64"}) {
    const Composite& composite = CompositeNamed(name);
    EXPECT_LE(LeftAlone(FusedProgramOf(composite.dims, composite.make)).size(),
              1)
        << name;
  }
}

// Of attention all but its products, their layouts and what they round.
TEST(FusionTest, AttentionRunsInTilesBetweenItsProducts) {
  const std::set<std::string> of_products = {"dot_general", "transpose",
                                             "RoundBFloat16"};
  const Composite& composite = CompositeNamed("attention");
  for (const std::string& op :
       LeftAlone(FusedProgramOf(composite.dims, composite.make)))
    EXPECT_TRUE(of_products.contains(op)) << op;
}

// What only the fusion reads is nowhere in memory.
TEST(FusionTest, WhatStaysInsideHasSlots) {
  const Composite& composite = CompositeNamed("softmax_64");
  const Program program = FusedProgramOf(composite.dims, composite.make);
  const Fusions fusions(program, BestKernels());
  std::int64_t inside = 0;
  for (const Segment& segment : program.entries.at(EntryPoint::kEval))
    for (const Instruction& each : segment.instructions)
      if (const Fusion* fusion = fusions.At(each))
        inside += std::count_if(
            fusion->values.begin(), fusion->values.end(),
            [](const FusedValue& value) { return value.slot >= 0; });
  EXPECT_GE(inside, 5);
}

class FusedModel : public ::testing::TestWithParam<std::string> {};

TEST_P(FusedModel, HasTheBitsOfItsOps) {
  ModelConfig config;
  config.set_name(GetParam());
  config.add_example_shape(8);
  config.add_example_shape(8);
  config.set_classes(10);
  if (GetParam() == "encoder") config.set_dropout(0.3);
  const auto program = BuildProgram(config, {});
  ASSERT_THAT(program, IsOk());
  ExpectSameBits(*program);
}

INSTANTIATE_TEST_SUITE_P(Models, FusedModel,
                         ::testing::Values("logistic_regression", "mlp",
                                           "lenet5", "lenet5_bn", "encoder"));

// Element by element, over lines and back, to rows of another length and back,
// in any order; some of what is made on the way is wanted, too.
class RandomOps {
 public:
  RandomOps(Graph& graph, Value x, unsigned seed)
      : graph_(graph), random_(seed) {
    wide_.emplace_back(graph, x, "");
    const std::int64_t width = graph.type(x).shape.dims[2];
    const auto other = static_cast<std::int64_t>(1 + random_() % 90);
    for (const Shape& shape : {Shape{{width, other}}, Shape{{other, width}}})
      weights_.push_back(
          wide_[0].With(graph.Variable(absl::StrCat("weight_", weights_.size()),
                                       shape, Initializer::kSmallNormal)));
  }

  Value Make(int steps) {
    for (int i = 0; i < steps; ++i) Step();
    Expr sum = wide_.back() + ByWeights(wide_[0]);
    for (const Expr& each : wide_)
      if (Chance(4)) sum = sum + each;
    for (const Expr& each : narrow_)
      if (Chance(2)) sum = sum + each.SpreadOver(sum, {2});
    return sum.value();
  }

 private:
  bool Chance(int of) { return random_() % static_cast<unsigned>(of) == 0; }
  const Expr& Any(const std::vector<Expr>& all) {
    return all[random_() % all.size()];
  }

  // Memory is used again from row group to row group, so that what a group
  // writes lies where other rows lay in the one before.
  Expr ByWeights(const Expr& x) {
    const DotPairs pairs = {{}, {2}, {}, {0}};
    const Expr other = Dot(x, weights_[0], pairs);
    return Dot(TimesShare(graph_, other), weights_[1], pairs);
  }

  void Step() {
    const Expr a = Any(wide_);
    const Expr b = Any(wide_);
    switch (random_() % 11) {
      case 0:
        wide_.push_back(a + b);
        break;
      case 1:
        wide_.push_back(a * b);
        break;
      case 2:
        wide_.push_back(a.Apply("tanh"));
        break;
      case 3:
        wide_.push_back(a * 0.5);
        break;
      case 4:
        wide_.push_back(a.Compare("GT", b).Select(b, a));
        break;
      case 5:
        narrow_.push_back(a.Mean({2}));
        break;
      case 6:
        narrow_.push_back(a.Reduce("maximum", {2}));
        break;
      case 7:
        wide_.push_back(TimesShare(graph_, a));
        break;
      case 8:
        if (narrow_.empty()) break;
        narrow_.push_back(Any(narrow_).Apply("logistic"));
        break;
      case 9:
        wide_.push_back(ByWeights(a));
        break;
      default:
        if (narrow_.empty()) break;
        wide_.push_back(a - Any(narrow_).SpreadOver(a, {2}));
    }
  }

  Graph& graph_;
  std::mt19937 random_;
  std::vector<Expr> weights_;  // to the other length, and back
  std::vector<Expr> wide_;
  std::vector<Expr> narrow_;
};

TEST(FusionTest, RandomOpsHaveTheSameBits) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    const std::int64_t width = 1 + static_cast<std::int64_t>(seed * 7 % 61);
    const Program program =
        FusedProgramOf({3, width}, [&](Graph& graph, Value x) {
          return RandomOps(graph, x, seed).Make(40);
        });
    ExpectSameBits(program);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace podsim::testing
