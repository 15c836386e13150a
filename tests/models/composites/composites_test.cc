// Composites: their expansions against plain loops, and their gradients against
// central differences, both through the ops' references in double.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "base/random.h"
#include "models/composites/attention.h"
#include "models/composites/batch_norm.h"
#include "models/composites/bias_activation.h"
#include "models/composites/dropout.h"
#include "models/composites/gelu.h"
#include "models/composites/layer_norm.h"
#include "models/composites/softmax.h"
#include "models/composites/softmax_cross_entropy.h"
#include "tests/models/composites/graph_values.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::GraphValues;
using ::podsim::testing::IsOk;
using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::podsim::testing::WeighedSum;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t kRows = 3;
constexpr double kNear = 1e-12;

Value Var(Graph& g, const std::string& name, std::vector<std::int64_t> dims) {
  return g.Variable(name, {std::move(dims)}, Initializer::kGlorotUniform);
}

// x [B, dims...] plus a variable, through which gradients are seen.
Value Moved(Graph& g, const std::string& name,
            const std::vector<std::int64_t>& dims) {
  const Value x = g.Input(name, DType::kFloat32, {dims});
  std::vector<std::int64_t> to;
  for (std::size_t i = 0; i < dims.size(); ++i)
    to.push_back(static_cast<std::int64_t>(i) + 1);
  OpAttributes attributes;
  attributes.shape = g.type(x).shape;
  attributes.lists["broadcast_dimensions"] = to;
  return g.Add(x, g.Apply(OpCode("broadcast_in_dim"),
                          {Var(g, name + "/shift", dims)}, attributes)[0]);
}

double At(const Tensor& tensor, std::size_t i) { return tensor.values[i]; }

TEST(Softmax, IsExponentialsByTheirSum) {
  Graph g("toy");
  const Value x = g.Features({{4, 5}});
  for (const int axis : {1, 2, -1}) {
    const Value y = Softmax(g, x, axis);
    ASSERT_THAT(g.status(), IsOk());
    const GraphValues values(g, kRows);
    const Tensor in = values.Compute(x);
    const Tensor out = values.Compute(y);
    const std::size_t stride = axis == 1 ? 5 : 1;
    const std::size_t count = axis == 1 ? 4 : 5;
    for (std::size_t i = 0; i < out.values.size(); ++i) {
      const std::size_t first = i - i / stride % count * stride;
      double sum = 0;
      for (std::size_t j = 0; j < count; ++j)
        sum += std::exp(At(in, first + j * stride));
      EXPECT_NEAR(At(out, i), std::exp(At(in, i)) / sum, kNear);
    }
  }
}

TEST(Softmax, OfLargeNumbersIsFinite) {
  Graph g("toy");
  const Value x = g.Features({{2}});
  const Value y = Softmax(g, x, -1);
  GraphValues values(g, 1);
  values.at(x).values = {1000, 999};
  EXPECT_NEAR(At(values.Compute(y), 0), 1 / (1 + std::exp(-1.0)), kNear);
}

TEST(Softmax, RefusesADimensionThatThereIsNot) {
  Graph g("toy");
  EXPECT_FALSE(Softmax(g, g.Features({{2}}), 2).present());
  EXPECT_THAT(g.status(), StatusIs(kInvalid, HasSubstr("Softmax over dimension "
                                                       "2 of [B, 2]")));
}

TEST(SoftmaxCrossEntropy, OfPlainLogitsIsTheOp) {
  Graph g("toy");
  SoftmaxCrossEntropy(g, g.Features({{4}}), g.Labels());
  ASSERT_THAT(g.status(), IsOk());
  ASSERT_EQ(g.nodes().size(), 1U);
  EXPECT_EQ(g.nodes()[0].op, OpCode::kSoftmaxXent);
}

TEST(SoftmaxCrossEntropy, SmoothsTargets) {
  constexpr double kSmoothing = 0.3;
  Graph g("toy");
  const Value x = g.Features({{4}});
  const Value labels = g.Labels();
  const auto [loss, correct] = SoftmaxCrossEntropy(g, x, labels, kSmoothing);
  ASSERT_THAT(g.status(), IsOk());
  GraphValues values(g, kRows);
  values.at(labels).values = {2, 0, 3};
  const Tensor in = values.Compute(x);
  const Tensor losses = values.Compute(loss);
  const Tensor right = values.Compute(correct);
  for (std::size_t row = 0; row < kRows; ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < 4; ++i) sum += std::exp(At(in, row * 4 + i));
    const auto label = static_cast<std::size_t>(values.at(labels).values[row]);
    double expected = 0;
    std::size_t best = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const double target = (i == label ? 1 - kSmoothing : 0) + kSmoothing / 4;
      expected -= target * (At(in, row * 4 + i) - std::log(sum));
      if (At(in, row * 4 + i) > At(in, row * 4 + best)) best = i;
    }
    EXPECT_NEAR(At(losses, row), expected, kNear);
    EXPECT_EQ(At(right, row), best == label ? 1 : 0);
  }
}

TEST(SoftmaxCrossEntropy, RefusesToSmoothAllAway) {
  Graph g("toy");
  SoftmaxCrossEntropy(g, g.Features({{4}}), g.Labels(), 1);
  EXPECT_THAT(g.status(), StatusIs(kInvalid, HasSubstr("smoothing is 1")));
}

TEST(LayerNorm, CentresAndScalesEachRow) {
  Graph g("toy");
  const Value x = g.Features({{2, 5}});
  const Value scale = Var(g, "scale", {5});
  const Value bias = Var(g, "bias", {5});
  const Value y = LayerNorm(g, x, scale, bias, 1e-3);
  ASSERT_THAT(g.status(), IsOk());
  GraphValues values(g, kRows);
  const Tensor in = values.Compute(x);
  const Tensor out = values.Compute(y);
  for (std::size_t row = 0; row < 2 * kRows; ++row) {
    double mean = 0;
    double variance = 0;
    for (std::size_t i = 0; i < 5; ++i) mean += At(in, row * 5 + i) / 5;
    for (std::size_t i = 0; i < 5; ++i)
      variance += std::pow(At(in, row * 5 + i) - mean, 2) / 5;
    for (std::size_t i = 0; i < 5; ++i)
      EXPECT_NEAR(At(out, row * 5 + i),
                  (At(in, row * 5 + i) - mean) / std::sqrt(variance + 1e-3) *
                          values.at(scale).values[i] +
                      values.at(bias).values[i],
                  kNear);
  }
}

TEST(BatchNorm, TakesTheStatisticsOfAllRows) {
  Graph g("toy");
  const Value x = g.Features({{4, 2}});
  const Value scale = Var(g, "scale", {2});
  const Value bias = Var(g, "bias", {2});
  const BatchNormValues y = BatchNormTraining(g, x, scale, bias, 1e-3);
  const Value again =
      BatchNormInference(g, x, scale, bias, y.mean, y.variance, 1e-3);
  ASSERT_THAT(g.status(), IsOk());
  GraphValues values(g, kRows);
  const Tensor in = values.Compute(x);
  const Tensor out = values.Compute(y.y);
  EXPECT_EQ(out.values, values.Compute(again).values);
  for (std::size_t feature = 0; feature < 2; ++feature) {
    constexpr double kCount = 4 * kRows;
    double mean = 0;
    double variance = 0;
    for (std::size_t i = feature; i < in.values.size(); i += 2)
      mean += At(in, i) / kCount;
    for (std::size_t i = feature; i < in.values.size(); i += 2)
      variance += std::pow(At(in, i) - mean, 2) / kCount;
    EXPECT_NEAR(At(values.Compute(y.mean), feature), mean, kNear);
    EXPECT_NEAR(At(values.Compute(y.variance), feature), variance, kNear);
    for (std::size_t i = feature; i < in.values.size(); i += 2)
      EXPECT_NEAR(At(out, i),
                  (At(in, i) - mean) / std::sqrt(variance + 1e-3) *
                          values.at(scale).values[feature] +
                      values.at(bias).values[feature],
                  kNear);
  }
}

TEST(Gelu, IsItsFormula) {
  Graph g("toy");
  const Value x = g.Features({{5}});
  const Value fast = Gelu(g, x);
  const Value exact = ExactGelu(g, x);
  ASSERT_THAT(g.status(), IsOk());
  const GraphValues values(g, kRows);
  const Tensor in = values.Compute(x);
  for (std::size_t i = 0; i < in.values.size(); ++i) {
    const double v = At(in, i);
    EXPECT_NEAR(At(values.Compute(exact), i),
                v / 2 * (1 + std::erf(v / std::sqrt(2))), kNear);
    EXPECT_NEAR(
        At(values.Compute(fast), i),
        v / 2 *
            (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v))),
        kNear);
  }
}

// Head by head, query by query. T = 3, S = 4, W = 6 in two heads.
TEST(Attention, MixesValuesByTheirShares) {
  constexpr std::size_t kT = 3;
  constexpr std::size_t kS = 4;
  constexpr std::size_t kW = 6;
  constexpr std::size_t kColumns = 3;
  for (const bool masked : {false, true}) {
    Graph g("toy");
    const Value q = g.Input("q", DType::kFloat32, {{kT, kW}});
    const Value k = g.Input("k", DType::kFloat32, {{kS, kW}});
    const Value v = g.Input("v", DType::kFloat32, {{kS, kW}});
    const Value mask =
        masked ? g.Input("mask", DType::kBool, {{kT, kS}}) : kNone;
    const Value y = Attention(g, q, k, v, 2, mask);
    ASSERT_THAT(g.status(), IsOk());
    EXPECT_EQ(ToString(g.type(y)), "[B, 3, 6]");
    GraphValues values(g, kRows);
    const auto sees = [&](std::size_t t, std::size_t s) {
      return !masked || s <= t;
    };
    if (masked)
      for (std::size_t i = 0; i < values.at(mask).values.size(); ++i)
        values.at(mask).values[i] = sees(i / kS % kT, i % kS) ? 1 : 0;
    const Tensor out = values.Compute(y);
    for (std::size_t i = 0; i < out.values.size(); ++i) {
      const std::size_t row = i / (kT * kW);
      const std::size_t t = i / kW % kT;
      const std::size_t column = i % kW;
      const std::size_t head = column / kColumns * kColumns;
      double sum = 0;
      double mixed = 0;
      for (std::size_t s = 0; s < kS; ++s) {
        if (!sees(t, s)) continue;
        double score = 0;
        for (std::size_t c = head; c < head + kColumns; ++c)
          score += At(values.at(q), (row * kT + t) * kW + c) *
                   At(values.at(k), (row * kS + s) * kW + c);
        const double share = std::exp(score / std::sqrt(double{kColumns}));
        sum += share;
        mixed += share * At(values.at(v), (row * kS + s) * kW + column);
      }
      EXPECT_NEAR(At(out, i), mixed / sum, kNear);
    }
  }
}

TEST(Attention, RefusesHeadsThatDoNotDivide) {
  Graph g("toy");
  const Value x = g.Features({{3, 6}});
  Attention(g, x, x, x, 4);
  EXPECT_THAT(g.status(),
              StatusIs(kInvalid, HasSubstr("attention of 4 heads")));
}

// Of 256 and 258 in bfloat16: a mean of 257 and a variance of 1, neither of
// which bfloat16 would have left.
TEST(LayerNorm, OfBFloat16HasStatisticsInFloat32) {
  Graph g("toy");
  const Value x = g.Features({{2}});
  const Value scale = g.Variable("scale", {{2}}, Initializer::kOnes);
  const Value bias = g.Variable("bias", {{2}}, Initializer::kZeros);
  const ComputesIn activations(g, DType::kBFloat16);
  const Value y =
      LayerNorm(g, g.Converted(x, DType::kBFloat16), scale, bias, 1e-3);
  ASSERT_THAT(g.status(), IsOk());
  EXPECT_EQ(ToString(g.type(y)), "bfloat16 [B, 2]");
  GraphValues values(g, 1);
  values.at(x).values = {256, 258};
  values.at(scale).values = {1, 1};
  values.at(bias).values = {0, 0};
  EXPECT_THAT(values.Compute(y).values, ElementsAre(-1, 1));
}

TEST(BatchNorm, OfBFloat16HasStatisticsInFloat32) {
  Graph g("toy");
  const Value x = g.Features({{1}});
  const Value scale = g.Variable("scale", {{1}}, Initializer::kOnes);
  const Value bias = g.Variable("bias", {{1}}, Initializer::kZeros);
  const ComputesIn activations(g, DType::kBFloat16);
  const BatchNormValues y =
      BatchNormTraining(g, g.Converted(x, DType::kBFloat16), scale, bias, 1e-3);
  const Value by_given =
      BatchNormInference(g, g.Converted(x, DType::kBFloat16), scale, bias,
                         y.mean, y.variance, 1e-3);
  ASSERT_THAT(g.status(), IsOk());
  EXPECT_EQ(ToString(g.type(y.y)), "bfloat16 [B, 1]");
  EXPECT_EQ(g.type(y.mean).dtype, DType::kFloat32);
  GraphValues values(g, 2);
  values.at(x).values = {256, 258};
  values.at(scale).values = {1};
  values.at(bias).values = {0};
  EXPECT_THAT(values.Compute(y.mean).values, ElementsAre(257));
  EXPECT_THAT(values.Compute(y.variance).values, ElementsAre(1));
  EXPECT_THAT(values.Compute(y.y).values, ElementsAre(-1, 1));
  EXPECT_THAT(values.Compute(by_given).values, ElementsAre(-1, 1));
}

// The third of bfloat16 is 1.3359375 / 4.
TEST(Softmax, OfBFloat16IsRoundedOnce) {
  Graph g("toy");
  const Value x = g.Features({{3}});
  const ComputesIn activations(g, DType::kBFloat16);
  const Value y = Softmax(g, g.Converted(x, DType::kBFloat16), -1);
  ASSERT_THAT(g.status(), IsOk());
  EXPECT_EQ(ToString(g.type(y)), "bfloat16 [B, 3]");
  GraphValues values(g, 1);
  values.at(x).values = {2, 2, 2};
  const double third = 1.3359375 / 4;
  EXPECT_THAT(values.Compute(y).values, ElementsAre(third, third, third));
}

TEST(Dropout, KeepsByKeySiteAndElement) {
  constexpr double kRate = 0.25;
  Graph g("toy");
  const Value x = g.Features({{200}});
  const Value first = Dropout(g, x, kRate);
  const Value second = Dropout(g, x, kRate);
  ASSERT_THAT(g.status(), IsOk());
  GraphValues values(g, kRows);
  values.at(g.ExampleKeys()).values = {1, 2, 3, 4, 1, 2};
  const Tensor in = values.Compute(x);
  int kept = 0;
  for (const std::uint64_t site : {0U, 1U}) {
    const Tensor out = values.Compute(site == 0 ? first : second);
    for (std::size_t i = 0; i < out.values.size(); ++i) {
      const std::uint64_t key = i / 200 == 1 ? (std::uint64_t{4} << 32) | 3
                                             : (std::uint64_t{2} << 32) | 1;
      const bool keeps = Philox(key, i % 200 / 4, site)[i % 4] < 0.75 * 0x1p32;
      EXPECT_NEAR(At(out, i), keeps ? At(in, i) / (1 - kRate) : 0, kNear);
      kept += keeps ? 1 : 0;
    }
  }
  EXPECT_NEAR(kept / 1200.0, 1 - kRate, 0.06);
}

// By the step's key, and another site than the dropout before.
TEST(Dropout, OfTheStepIsTheSameInAllExamples) {
  constexpr double kRate = 0.25;
  Graph g("toy");
  const Value x = g.Features({{4, 50}});
  Dropout(g, x, kRate);
  const Value y = Dropout(g, x, kRate, "", DropoutMask::kOfTheStep);
  ASSERT_THAT(g.status(), IsOk());
  GraphValues values(g, kRows);
  values.at(g.StepKeys()).values = {1, 2, 1, 2, 1, 2};
  const Tensor in = values.Compute(x);
  const Tensor out = values.Compute(y);
  for (std::size_t i = 0; i < out.values.size(); ++i) {
    const std::size_t e = i % 200;
    const bool keeps =
        Philox((std::uint64_t{2} << 32) | 1, e / 4, 1)[e % 4] < 0.75 * 0x1p32;
    EXPECT_NEAR(At(out, i), keeps ? At(in, i) / (1 - kRate) : 0, kNear);
  }
  Dropout(g, g.Variable("w", {{3}}, Initializer::kZeros), kRate, "",
          DropoutMask::kOfTheStep);
  EXPECT_THAT(g.status(),
              StatusIs(kInvalid, HasSubstr("takes [B, ...], not [3]")));
}

TEST(Dropout, OfNothingIsNothing) {
  Graph g("toy");
  const Value x = g.Features({{3}});
  EXPECT_EQ(Dropout(g, x, 0), x);
  EXPECT_TRUE(g.nodes().empty());
  Dropout(g, x, 1);
  EXPECT_THAT(g.status(), StatusIs(kInvalid, HasSubstr("dropout rate is 1")));
}

struct GradientCase {
  const char* name;
  std::function<Value(Graph&)> y;
};

std::vector<GradientCase> GradientCases() {
  return {
      {"Softmax",
       [](Graph& g) {
         return Softmax(g, Moved(g, "x", {2, 4}), 1);
       }},
      {"LayerNorm",
       [](Graph& g) {
         return LayerNorm(g, Moved(g, "x", {2, 5}), Var(g, "scale", {5}),
                          Var(g, "bias", {5}), 1e-3);
       }},
      {"BatchNorm",
       [](Graph& g) {
         return BatchNormTraining(g, Moved(g, "x", {2, 3}),
                                  Var(g, "scale", {3}), Var(g, "bias", {3}),
                                  1e-3)
             .y;
       }},
      {"Gelu", [](Graph& g) { return Gelu(g, Moved(g, "x", {4})); }},
      {"ExactGelu", [](Graph& g) { return ExactGelu(g, Moved(g, "x", {4})); }},
      {"Attention",
       [](Graph& g) {
         return Attention(g, Moved(g, "q", {2, 4}), Moved(g, "k", {3, 4}),
                          Moved(g, "v", {3, 4}), 2);
       }},
      {"BiasActivation",
       [](Graph& g) {
         return BiasActivation(g, Moved(g, "x", {2, 3}), Var(g, "bias", {3}),
                               Activation::kTanh);
       }},
      {"Dropout", [](Graph& g) { return Dropout(g, Moved(g, "x", {8}), 0.5); }},
  };
}

class CompositeGradient : public ::testing::TestWithParam<GradientCase> {};

TEST_P(CompositeGradient, EqualsCentralDifferences) {
  Graph g("toy");
  const Value loss = WeighedSum(g, GetParam().y(g));
  const Value weights = g.ExampleWeights();
  ASSERT_THAT(g.status(), IsOk());
  GraphValues values(g, kRows);
  values.CheckGradients(loss, weights);
}

TEST(SoftmaxCrossEntropy, HasTheGradientOfItsSmoothTargets) {
  Graph g("toy");
  const Value labels = g.Labels();
  const Value loss =
      SoftmaxCrossEntropy(g, Moved(g, "x", {4}), labels, 0.2).loss;
  const Value weights = g.ExampleWeights();
  ASSERT_THAT(g.status(), IsOk());
  GraphValues values(g, kRows);
  values.at(labels).values = {2, 0, 3};
  values.CheckGradients(loss, weights);
}

INSTANTIATE_TEST_SUITE_P(Composites, CompositeGradient,
                         ::testing::ValuesIn(GradientCases()),
                         [](const auto& info) {
                           return std::string(info.param.name);
                         });

}  // namespace
}  // namespace podsim
