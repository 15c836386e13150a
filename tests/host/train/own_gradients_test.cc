// Models that bring their own gradients, and state variables.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/input/fields.h"
#include "host/input/stream.h"
#include "models/composites/expr.h"
#include "models/graph/buckets.h"
#include "models/graph/placement.h"
#include "models/graph/serialize_model.h"
#include "models/graph/serialize_program.h"
#include "models/graph/verify_model.h"
#include "models/layers/norm.h"
#include "tests/host/train/test_plan.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::MakeSetup;
using ::podsim::testing::PlanShape;

constexpr std::int64_t kOwnClasses = 10;
constexpr std::int64_t kOwnPixels = 64;

std::shared_ptr<const ModelProto> Made(const Graph& graph,
                                       const CompileInput& input) {
  const auto model = ToProto(graph, input);
  EXPECT_THAT(model, IsOk());
  return std::make_shared<const ModelProto>(model.value_or(ModelProto()));
}

struct Softmax {
  Value x;
  Value kernel;
  Value bias;
  Graph::SoftmaxXentValues out;
};

Softmax Regression(Graph& g) {
  Softmax parts;
  parts.x = g.Reshape(g.Features({{8, 8}}), {{kOwnPixels}});
  parts.kernel = g.Variable("kernel", {{kOwnPixels, kOwnClasses}},
                            Initializer::kGlorotUniform);
  parts.bias = g.Variable("bias", {{kOwnClasses}}, Initializer::kZeros);
  parts.out = g.SoftmaxXent(
      g.AddBias(g.MatMul(parts.x, parts.kernel), parts.bias), g.Labels());
  return parts;
}

std::shared_ptr<const ModelProto> Derived() {
  Graph g("derived");
  const Softmax parts = Regression(g);
  return Made(g, {.loss = parts.out.loss, .weights = g.ExampleWeights()});
}

// As the lowering of a mean loss with its gradient says it: one number for each
// core, and gradients of that.
std::shared_ptr<const ModelProto> WithItsOwn() {
  Graph g("own");
  const Softmax parts = Regression(g);
  const Expr losses(g, parts.out.loss, "mean");
  const Expr count = losses.Splat(1).Sum({0});
  const Expr mean = losses.Sum({0}) / count;
  const Expr share = (count.Splat(1) / count).Broadcast(losses.shape(), {});
  const Value dlogits = g.Apply(OpCode::kSoftmaxXentGrad,
                                {parts.out.prob, g.Labels(), share.value()})[0];
  const Value dkernel =
      g.Apply(OpCode::kMatMulGradWeight, {parts.x, dlogits})[0];
  const Value dbias = g.Apply(OpCode::kBiasGrad, {dlogits})[0];
  return Made(g, {.loss = mean.value(),
                  .weights = g.ExampleWeights(),
                  .gradients = {{parts.kernel, dkernel}, {parts.bias, dbias}},
                  .evaluation = {{"loss", parts.out.loss}}});
}

std::vector<float> VariableOf(const PodSetup& setup, const PodResult& result,
                              const std::string& name) {
  for (const ProgramVariable& variable : setup.program->variables) {
    const ProgramTensor& tensor = setup.program->tensor(variable.tensor);
    if (tensor.name != name) continue;
    const auto begin = result.variables.begin() + tensor.offset;
    return {begin, begin + tensor.shape.elements()};
  }
  return {};
}

PodResult Train(const PlanShape& shape) {
  const PodSetup setup = MakeSetup(shape);
  auto result = TrainInProcess(setup);
  EXPECT_THAT(result, IsOk());
  return std::move(result).value_or(PodResult());
}

// Each gradient is a sum of the products of 4 examples on each of 32 cores; one
// adds products, the other sums and shares: some 10 roundings of 2^-24 on
// either side, of numbers below 1, times rates and 5 steps that add up to less
// than 1.
TEST(OwnGradients, TrainAsDerivedOnesDo) {
  const PlanShape plain = {.steps = 5, .momentum = 0, .own_model = Derived()};
  PlanShape own = plain;
  own.own_model = WithItsOwn();
  const PodResult known = Train(plain);
  const PodResult result = Train(own);
  ASSERT_EQ(result.variables.size(), known.variables.size());
  double most = 0;
  for (std::size_t i = 0; i < known.variables.size(); ++i) {
    EXPECT_NEAR(result.variables[i], known.variables[i], 32 * 0x1p-24);
    most = std::max(most, std::fabs(double{known.variables[i]}));
  }
  EXPECT_GT(most, 0.1);
}

// Three layers with a bias each, which comes before its kernel in JAX's order
// of the variables.
std::shared_ptr<const ModelProto> DeepWithItsOwn() {
  struct Layer {
    Value x;
    Value bias;
    Value kernel;
  };
  Graph g("deep");
  Value x = g.Reshape(g.Features({{8, 8}}), {{kOwnPixels}});
  std::vector<Layer> layers;
  std::int64_t from = kOwnPixels;
  for (const std::int64_t width :
       {std::int64_t{32}, std::int64_t{24}, kOwnClasses}) {
    const std::string name = "dense_" + std::to_string(layers.size());
    const Value bias =
        g.Variable(name + "/bias", {{width}}, Initializer::kZeros);
    const Value kernel = g.Variable(name + "/kernel", {{from, width}},
                                    Initializer::kGlorotUniform);
    layers.push_back({x, bias, kernel});
    x = g.AddBias(g.MatMul(x, kernel), bias);
    if (layers.size() < 3) x = g.Relu(x);
    from = width;
  }
  const auto out = g.SoftmaxXent(x, g.Labels());
  const Expr losses(g, out.loss, "mean");
  const Expr count = losses.Splat(1).Sum({0});
  const Expr share = (count.Splat(1) / count).Broadcast(losses.shape(), {});
  Value dy = g.Apply(OpCode::kSoftmaxXentGrad,
                     {out.prob, g.Labels(), share.value()})[0];
  std::vector<VariableValue> gradients(2 * layers.size());
  for (std::size_t i = layers.size(); i-- > 0;) {
    const Layer& layer = layers[i];
    gradients[2 * i] = {layer.bias, g.Apply(OpCode::kBiasGrad, {dy})[0]};
    gradients[2 * i + 1] = {
        layer.kernel, g.Apply(OpCode::kMatMulGradWeight, {layer.x, dy})[0]};
    if (i == 0) break;
    const Value dx = g.Apply(OpCode::kMatMulGradInput, {dy, layer.kernel})[0];
    dy = g.Apply(OpCode("ReluGrad"), {dx, layer.x})[0];
  }
  return Made(g, {.loss = out.loss,
                  .weights = g.ExampleWeights(),
                  .gradients = gradients});
}

// Its pass with all that makes gradients of the cores' own the host's behind
// it, in the order of the buckets, and then the all-reduces in theirs.
std::shared_ptr<const Program> WithAllAtTheEnd(Program program) {
  std::vector<Segment>& pass = program.entries.at(EntryPoint::kTrainMicrobatch);
  Segment all;
  std::map<TensorId, Instruction> last;
  for (Segment& segment : pass)
    for (Instruction& each : segment.instructions) {
      const TensorId made = each.outputs[0];
      if (program.tensor(made).storage == Storage::kGradient)
        last[made] = std::move(each);
      else
        all.instructions.push_back(std::move(each));
    }
  std::vector<Segment> reduces;
  for (const GradientBucket& bucket : program.buckets) {
    for (const TensorId gradient : bucket.gradients)
      all.instructions.push_back(last.at(gradient));
    Segment reduce;
    reduce.kind = SegmentKind::kAllReduce;
    reduce.bucket = static_cast<std::int32_t>(reduces.size());
    reduces.push_back(std::move(reduce));
  }
  // They are all kept until then.
  program.scratch_elements =
      PlaceByLiveness(all.instructions, Storage::kScratch, {}, program);
  pass = {std::move(all)};
  pass.insert(pass.end(), reduces.begin(), reduces.end());
  program.entries.at(EntryPoint::kReduce) = std::move(reduces);
  return std::make_shared<const Program>(std::move(program));
}

// Whether buckets travel beside the pass, behind it, or in another order is no
// matter of bits: what is in a bucket, and where, is the same.
TEST(OwnGradients, NoBitDependsOnWhenBucketsTravel) {
  for (const double clip_norm : {0.0, 0.5}) {
    SCOPED_TRACE(clip_norm);
    PodSetup setup = MakeSetup({.steps = 4,
                                .clip_norm = clip_norm,
                                .bucket_bytes = 2048,
                                .own_model = DeepWithItsOwn()});
    EXPECT_THAT(VerifyModel(ToProto(*setup.program)), IsOk());
    EXPECT_EQ(TravelOrder(*setup.program),
              (std::vector<std::int32_t>{2, 1, 0}));
    setup.plan.mutable_spec()->set_link_latency(0.001);
    ASSERT_OK_AND_ASSIGN(const PodResult overlapped, TrainInProcess(setup));
    setup.plan.mutable_spec()->set_overlap_probe(1);
    ASSERT_OK_AND_ASSIGN(const PodResult serial, TrainInProcess(setup));
    EXPECT_FALSE(overlapped.steps.back().serial());
    EXPECT_TRUE(serial.steps.back().serial());
    EXPECT_EQ(serial.weights_hash, overlapped.weights_hash);
    setup.program = WithAllAtTheEnd(*setup.program);
    EXPECT_THAT(VerifyModel(ToProto(*setup.program)), IsOk());
    EXPECT_EQ(TravelOrder(*setup.program),
              (std::vector<std::int32_t>{0, 1, 2}));
    ASSERT_OK_AND_ASSIGN(const PodResult late, TrainInProcess(setup));
    EXPECT_EQ(late.weights_hash, overlapped.weights_hash);
  }
}

// x, the mean of the moving averages' inputs, is the same on each core of any
// slice; so is what becomes of it.
TEST(OwnGradients, AStateBecomesTheMeanOfTheCores) {
  Graph g("state");
  const Softmax parts = Regression(g);
  const Value seen =
      g.StateVariable("seen", {{kOwnClasses}}, Initializer::kZeros);
  const Expr prob(g, parts.out.prob, "prob");
  const Expr count = Expr(g, parts.out.loss, "count").Splat(1).Sum({0});
  const Expr mean = prob.Sum({0}) / count.Broadcast({{kOwnClasses}}, {});
  const Expr next = prob.With(seen) * 0.5 + mean * 0.5;
  const auto model = Made(g, {.loss = parts.out.loss,
                              .weights = g.ExampleWeights(),
                              .states = {{seen, next.value()}}});
  // Without learning every step sees the first weights.
  const PlanShape shape = {.steps = 3,
                           .learning_rate = 0,
                           .momentum = 0,
                           .clip_norm = 1e-3,
                           .own_model = model};
  const PodSetup setup = MakeSetup(shape);
  ASSERT_OK_AND_ASSIGN(const PodResult result, TrainInProcess(setup));
  const std::vector<float> state = VariableOf(setup, result, "seen");
  ASSERT_EQ(state.size(), static_cast<std::size_t>(kOwnClasses));
  double sum = 0;
  for (const float each : state) {
    EXPECT_GT(each, 0);
    sum += each;
  }
  // Probabilities add up to 1, of which 1/2 + 1/4 + 1/8 has come in.
  EXPECT_NEAR(sum, 0.875, 64 * 0x1p-24);
}

// Batch norm's averages after one step: of all examples of the step, which a
// plain loop reads once more.
TEST(OwnGradients, BatchNormKeepsAverages) {
  Graph g("norm");
  std::vector<VariableValue> states;
  const auto pass = [&](bool training) {
    const Value x = g.Reshape(g.Features({{8, 8}}), {{kOwnPixels}});
    const Value y = BatchNorm(g, "norm", x, {.training = training}, states);
    const Value kernel = g.Variable("kernel", {{kOwnPixels, kOwnClasses}},
                                    Initializer::kGlorotUniform);
    return g.SoftmaxXent(g.MatMul(y, kernel), g.Labels());
  };
  const auto evaluation = pass(false);
  g.BeginSecondPass();
  const auto training = pass(true);
  const PlanShape shape = {
      .steps = 1,
      .momentum = 0,
      .own_model = Made(g, {.loss = training.loss,
                            .weights = g.ExampleWeights(),
                            .states = states,
                            .evaluation = {{"loss", evaluation.loss}}})};
  const PodSetup setup = MakeSetup(shape);
  ASSERT_OK_AND_ASSIGN(const PodResult result, TrainInProcess(setup));
  const std::vector<float> mean = VariableOf(setup, result, "norm/mean");
  ASSERT_EQ(mean.size(), static_cast<std::size_t>(kOwnPixels));

  const std::int64_t examples =
      std::int64_t{shape.hosts} * shape.cores_per_host * shape.batch_per_core;
  std::vector<double> known(static_cast<std::size_t>(kOwnPixels));
  Batch batch;
  EXPECT_THAT(FillTrainBatch(*setup.dataset, shape.seed,
                             {.consumed = 0,
                              .batch_per_core = examples,
                              .first_core = 0,
                              .cores = 1,
                              .global_batch = examples},
                             batch),
              IsOk());
  ASSERT_OK_AND_ASSIGN(const std::vector<int> fields,
                       InputFields(*setup.program, setup.dataset->config()));
  const int field =
      fields[setup.program->input_position(setup.program->input("features"))];
  const auto bytes = batch.Rows(static_cast<std::size_t>(field), 0, examples);
  const auto* pixels = reinterpret_cast<const float*>(bytes.data());
  for (std::int64_t i = 0; i < examples * kOwnPixels; ++i)
    known[static_cast<std::size_t>(i % kOwnPixels)] +=
        0.01 * pixels[i] / static_cast<double>(examples);
  for (std::size_t i = 0; i < known.size(); ++i)
    EXPECT_NEAR(mean[i], known[i], 16 * 0x1p-24 * std::fabs(known[i]) + 1e-12);
}

}  // namespace
}  // namespace podsim
