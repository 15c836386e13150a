// Evaluations of models whose examples depend on one another.
#include <algorithm>
#include <cmath>
#include <cstddef>
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

// The mean loss of all held-out examples, each core's `batch` after another.
double KnownLoss(const PodSetup& setup, const std::vector<float>& kernel,
                 std::int64_t batch) {
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
  double total = 0;
  for (std::int64_t begin = 0; begin < examples; begin += batch) {
    const std::int64_t rows = std::min(batch, examples - begin);
    std::vector<std::vector<double>> logits(static_cast<std::size_t>(rows),
                                            std::vector<double>(kClasses));
    for (std::size_t c = 0; c < kClasses; ++c) {
      double sum = 0;
      for (std::size_t r = 0; r < logits.size(); ++r) {
        for (std::size_t i = 0; i < kPixels; ++i)
          logits[r][c] += double{pixels[(begin + r) * kPixels + i]} *
                          kernel[i * kClasses + c];
        sum += logits[r][c];
      }
      for (auto& row : logits) row[c] -= sum / static_cast<double>(rows);
    }
    for (std::size_t r = 0; r < logits.size(); ++r)
      total +=
          LossOfExample(logits[r], static_cast<std::size_t>(labels[begin + r]));
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
