// Evaluations of models whose examples depend on one another.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "host/input/fields.h"
#include "host/input/stream.h"
#include "models/composites/expr.h"
#include "models/graph/serialize_model.h"
#include "tests/host/train/test_plan.h"
#include "tests/job/set_metric.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

using ::podsim::testing::IsOk;

constexpr std::int64_t kPixels = 64;
constexpr std::int64_t kClasses = 10;
constexpr std::size_t kWeighed = 8;  // pixels

// Logits less their means over the examples of a core.
std::shared_ptr<const ModelProto> CentredImages(bool with_weights) {
  Graph g("centred");
  const Value x = g.Reshape(g.Features({{8, 8}}), {{kPixels}});
  const Value kernel =
      g.Variable("kernel", {{kPixels, kClasses}}, Initializer::kGlorotUniform);
  const Expr h(g, g.MatMul(x, kernel), "h");
  const Expr count = h.Splat(1).Sum({0});
  const Expr logits = h - (h.Sum({0}) / count).SpreadOver(h, {0});
  const Value loss = g.SoftmaxXent(logits.value(), g.Labels()).loss;
  const auto model =
      ToProto(g, {.loss = loss,
                  .weights = with_weights ? g.ExampleWeights() : Value{kNone}});
  EXPECT_THAT(model, IsOk());
  return std::make_shared<const ModelProto>(model.value_or(ModelProto()));
}

double LossOfExample(const std::vector<double>& logits, std::size_t label) {
  double sum = 0;
  for (const double each : logits) sum += std::exp(each - logits[label]);
  return std::log(sum);
}

// All held-out examples, as the program's inputs.
struct HeldOut {
  std::vector<float> pixels;
  std::vector<std::int32_t> labels;
};

HeldOut HeldOutOf(const PodSetup& setup) {
  const std::int64_t examples = setup.dataset->size(Split::kEval);
  Batch all;
  EXPECT_THAT(FillEvalBatch(
                  *setup.dataset,
                  {.batch_per_core = examples, .global_batch = examples}, all),
              IsOk());
  const auto fields = InputFields(*setup.program, setup.dataset->config());
  EXPECT_THAT(fields, IsOk());
  const auto field = [&](const char* name) {
    return static_cast<std::size_t>(
        (*fields)[setup.program->input_position(setup.program->input(name))]);
  };
  const auto pixels = all.Values<float>(field("features"));
  const auto labels = all.Values<std::int32_t>(field("labels"));
  return {{pixels.begin(), pixels.end()}, {labels.begin(), labels.end()}};
}

// Of example `row`, in float64.
std::vector<double> LogitsOf(const HeldOut& all, std::size_t row,
                             const std::vector<float>& kernel) {
  std::vector<double> logits(kClasses);
  for (std::size_t c = 0; c < kClasses; ++c)
    for (std::size_t i = 0; i < kPixels; ++i)
      logits[c] +=
          double{all.pixels[row * kPixels + i]} * kernel[i * kClasses + c];
  return logits;
}

// The mean loss of all held-out examples, each core's `batch` after another.
double KnownLoss(const PodSetup& setup, const std::vector<float>& kernel,
                 std::size_t batch) {
  const HeldOut all = HeldOutOf(setup);
  const std::size_t examples = all.labels.size();
  double total = 0;
  for (std::size_t begin = 0; begin < examples; begin += batch) {
    const std::size_t end = std::min(begin + batch, examples);
    std::vector<std::vector<double>> logits;
    std::vector<double> mean(kClasses);
    for (std::size_t row = begin; row < end; ++row) {
      logits.push_back(LogitsOf(all, row, kernel));
      for (std::size_t c = 0; c < kClasses; ++c)
        mean[c] += logits.back()[c] / static_cast<double>(end - begin);
    }
    for (std::size_t row = begin; row < end; ++row) {
      std::vector<double>& of_row = logits[row - begin];
      for (std::size_t c = 0; c < kClasses; ++c) of_row[c] -= mean[c];
      total += LossOfExample(of_row, static_cast<std::size_t>(all.labels[row]));
    }
  }
  return total / static_cast<double>(examples);
}

// 299 examples are 74 batches of 4 and one of 3, or 18 of 16 and one of 11:
// that one's mean is over fewer.
TEST(Evaluation, TheLastBatchIsSmaller) {
  for (const bool with_weights : {false, true})
    for (const int batch : {4, 16}) {
      const PlanShape shape = {.batch_per_core = batch,
                               .dataset = "digits",
                               .learning_rate = 0.5,
                               .own_model = CentredImages(with_weights)};
      const PodSetup setup = MakeSetup(shape);
      ASSERT_OK_AND_ASSIGN(const PodResult result, TrainInProcess(setup));
      ASSERT_EQ(result.evaluations.size(), 1U);
      EXPECT_EQ(result.evaluations[0].examples(), 299);
      // A logit is a sum of 64 products of about 1, a loss changes by at most
      // twice what logits do.
      EXPECT_NEAR(LossOf(result.evaluations[0]),
                  KnownLoss(setup, result.variables, batch),
                  2 * 64 * 0x1p-24 * 4);
    }
}

// How far the first pixels of an example, of 16 grey values, are beyond
// `least`.
double WeightOf(const HeldOut& all, std::size_t row, double least) {
  double sum = 0;
  for (std::size_t i = 0; i < kWeighed; ++i)
    sum += all.pixels[row * kPixels + i];
  return std::max(sum - least, 0.0);
}

// Training's loss is a mean, an evaluation's is sum(w l) / max(sum(w), 1) of
// all its examples, w as WeightOf says.
std::shared_ptr<const ModelProto> WeightedImages(double least) {
  Graph g("weighted");
  const Value x = g.Reshape(g.Features({{8, 8}}), {{kPixels}});
  const Value kernel =
      g.Variable("kernel", {{kPixels, kClasses}}, Initializer::kGlorotUniform);
  const Expr loss(g, g.SoftmaxXent(g.MatMul(x, kernel), g.Labels()).loss, "l");
  OpAttributes part;
  part.lists["start_indices"] = {0, 0};
  part.lists["limit_indices"] = {1, static_cast<std::int64_t>(kWeighed)};
  part.lists["strides"] = {1, 1};
  const Expr sum = Expr(g, x, "w").Apply("slice", {}, part).Sum({1});
  const Expr weight = (sum - sum.Splat(least)).Apply("maximum", {sum.Splat(0)});
  MetricFormula ratio;
  ratio.add_sums("of losses");
  ratio.add_sums("of weights");
  const auto add = [&](MetricFormula::Op op, std::vector<int> operands) {
    MetricFormula::Node& node = *ratio.add_nodes();
    node.set_op(op);
    for (const int each : operands) node.add_operands(each);
    return &node;
  };
  add(MetricFormula::NUMBER, {})->set_value(1);
  add(MetricFormula::MAXIMUM, {1, 2});
  add(MetricFormula::DIVIDE, {0, 3});
  const auto metric = [](const char* name, const Expr& value) {
    return MetricInput{.name = name,
                       .value = value.value(),
                       .combine = MetricCombine::kSum,
                       .passes = MetricPasses::kEvaluation};
  };
  const auto model = ToProto(g, {.loss = loss.value(),
                                 .loss_passes = MetricPasses::kTraining,
                                 .eval_loss = ratio,
                                 .metrics = {metric("of losses", loss * weight),
                                             metric("of weights", weight)}});
  EXPECT_THAT(model, IsOk());
  return std::make_shared<const ModelProto>(model.value_or(ModelProto()));
}

// Whatever the batch, and with cores and hosts whose weights are all 0.
TEST(Evaluation, ALossOfSumsIsThatOfAllExamplesAtOnce) {
  for (const double least : {0.0, 3.0, 1e6})
    for (const int batch : {4, 16}) {
      const PodSetup setup = MakeSetup({.batch_per_core = batch,
                                        .learning_rate = 0.5,
                                        .own_model = WeightedImages(least)});
      ASSERT_OK_AND_ASSIGN(const PodResult result, TrainInProcess(setup));
      ASSERT_EQ(result.evaluations.size(), 1U);
      EXPECT_EQ(result.evaluations[0].metrics_size(), 1);
      const HeldOut all = HeldOutOf(setup);
      double total = 0;
      double weights = 0;
      int without = 0;
      for (std::size_t row = 0; row < all.labels.size(); ++row) {
        const double weight = WeightOf(all, row, least);
        const std::size_t label = static_cast<std::size_t>(all.labels[row]);
        if (weight == 0) ++without;
        weights += weight;
        total +=
            weight * LossOfExample(LogitsOf(all, row, result.variables), label);
      }
      if (least > 0) {
        EXPECT_GT(without, 100) << least;
      }
      // As above, and of a weight 8 roundings of sums of at most 8.
      EXPECT_NEAR(LossOf(result.evaluations[0]), total / std::max(weights, 1.0),
                  2 * 64 * 0x1p-24 * 4 + 8 * 8 * 0x1p-24 * 8)
          << least << " " << batch;
    }
}

// The share of each example is then 1 / 128.
TEST(Evaluation, WithoutWeightsALossIsAMean) {
  PlanShape shape = {.own_model = CentredImages(true)};
  ASSERT_OK_AND_ASSIGN(const PodResult with, TrainInProcess(MakeSetup(shape)));
  shape.own_model = CentredImages(false);
  ASSERT_OK_AND_ASSIGN(const PodResult without,
                       TrainInProcess(MakeSetup(shape)));
  EXPECT_EQ(with.weights_hash, without.weights_hash);
}

}  // namespace
}  // namespace podsim::testing
