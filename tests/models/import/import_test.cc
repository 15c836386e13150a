// What is said of a function's arguments and results fits it, or is refused.
// What is computed is compared in tests/golden.
#include "models/import/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "models/graph/serialize_model.h"
#include "tests/models/import/module_builder.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::ModuleBuilder;
using ::testing::AllOf;
using ::testing::HasSubstr;

struct Besides {
  bool draws = false;    // x is multiplied by bits that a third argument draws
  bool of_each = false;  // a third result: x . w of each example
  // An op code: x . w is computed again, of what that makes of w, and the
  // gradient is multiplied by it.
  std::string again;
};

// x . w of each example.
std::int64_t DotOf(ModuleBuilder& b, std::int64_t x, std::int64_t w,
                   std::int64_t batch) {
  return b.Op("dot", {x, w}, {batch}, hlo::F32, [](hlo::Instruction& op) {
    op.mutable_dot_dimension_numbers()->add_lhs_contracting_dimensions(1);
    op.mutable_dot_dimension_numbers()->add_rhs_contracting_dimensions(0);
  });
}

// loss = mean(x . w), and its gradient, the mean of x.
std::string Lowered(std::int64_t batch, const Besides& besides = {}) {
  ModuleBuilder b;
  const auto bits = b.Computation();
  b.module().mutable_computations(0)->set_name("podsim_random_bits");
  b.Op("broadcast", {b.Parameter({2}, hlo::U32)}, {batch, 4}, hlo::U32);
  const auto sum = b.Computation();
  {
    const auto x = b.Parameter({});
    const auto y = b.Parameter({});
    b.Op("add", {x, y}, {});
  }
  b.Computation();
  const auto w = b.Parameter({4});
  auto x = b.Parameter({batch, 4});
  if (besides.draws) {
    const auto key = b.Parameter({2}, hlo::U32);
    const auto drawn = b.Op(
        "call", {key}, {batch, 4}, hlo::U32,
        [&](hlo::Instruction& call) { call.add_called_computation_ids(bits); });
    const auto real = b.Op("convert", {drawn}, {batch, 4});
    x = b.Op("multiply", {x, real}, {batch, 4});
  }
  const auto share = 1.0F / static_cast<float>(batch);
  const auto reduce = [&](std::int64_t from, std::int64_t over,
                          const testing::HloDims& dims) {
    return b.Op("reduce", {from, b.Number(0)}, dims, hlo::F32,
                [&](hlo::Instruction& op) {
                  op.add_dimensions(over);
                  op.add_called_computation_ids(sum);
                });
  };
  const auto each = DotOf(b, x, w, batch);
  const auto scaled =
      b.Op("multiply", {each, b.Number(share, {batch})}, {batch});
  const auto loss = reduce(scaled, 0, {});
  auto shares = b.Op("multiply", {x, b.Number(share, {batch, 4})}, {batch, 4});
  if (!besides.again.empty()) {
    const auto same = b.Op(besides.again, {w}, {4});
    const auto spread =
        b.Op("broadcast", {DotOf(b, x, same, batch)}, {batch, 4}, hlo::F32,
             [](hlo::Instruction& op) { op.add_dimensions(0); });
    shares = b.Op("multiply", {shares, spread}, {batch, 4});
  }
  const auto gradient = reduce(shares, 0, {4});
  std::vector<std::int64_t> results = {loss, gradient};
  if (besides.of_each) results.push_back(each);
  b.Op("tuple", results, {}, hlo::TUPLE);
  return b.Bytes();
}

void AddLowerings(const Besides& besides, ImportFunction& to) {
  for (const std::int64_t batch : {3, 5, 7}) {
    auto& lowering = *to.add_lowerings();
    lowering.set_batch(batch);
    lowering.set_module(Lowered(batch, besides));
  }
}

void AddMetric(const std::string& name, ImportFunction& to) {
  ImportResult& result = *to.add_results();
  result.set_kind(ImportResult::METRIC);
  result.set_name(name);
}

ImportProto MeanOfProducts(const Besides& besides = {}) {
  ImportProto from;
  from.set_name("linear");
  ImportFunction& function = *from.mutable_training();
  AddLowerings(besides, function);
  auto& w = *function.add_arguments();
  w.set_kind(ImportArgument::VARIABLE);
  w.set_name("w");
  auto& x = *function.add_arguments();
  x.set_kind(ImportArgument::INPUT);
  x.set_name("x");
  if (besides.draws) {
    auto& key = *function.add_arguments();
    key.set_kind(ImportArgument::KEY);
    key.set_name("key");
  }
  function.add_results()->set_kind(ImportResult::LOSS);
  auto& gradient = *function.add_results();
  gradient.set_kind(ImportResult::GRADIENT);
  gradient.set_name("w");
  return from;
}

// Adds an evaluation whose metrics are a number of each example.
void Evaluate(const std::vector<std::string>& metrics, ImportProto& to) {
  ImportFunction& function = *to.mutable_evaluation();
  for (const std::int64_t batch : {3, 5, 7}) {
    ModuleBuilder b;
    const auto w = b.Parameter({4});
    const auto x = b.Parameter({batch, 4});
    const auto each = DotOf(b, x, w, batch);
    b.Op("tuple", std::vector<std::int64_t>(metrics.size(), each), {},
         hlo::TUPLE);
    auto& lowering = *function.add_lowerings();
    lowering.set_batch(batch);
    lowering.set_module(b.Bytes());
  }
  *function.add_arguments() = to.training().arguments(0);
  *function.add_arguments() = to.training().arguments(1);
  for (const std::string& name : metrics) AddMetric(name, function);
}

std::int64_t NodesOf(const ModelProto& model, const std::string& op) {
  const auto& nodes = model.graph().nodes();
  return std::count_if(nodes.begin(), nodes.end(),
                       [&](const auto& node) { return node.op() == op; });
}

MetricSum::Passes PassesOf(const ModelProto& model, const std::string& name) {
  for (const auto& metric : model.graph().metrics())
    if (metric.name() == name) return metric.passes();
  ADD_FAILURE() << "no metric is called " << name;
  return MetricSum::ALL;
}

TEST(ImportTest, MakesAModelThatIsSoundAndEqualEachTime) {
  ASSERT_OK_AND_ASSIGN(const ModelProto model, Import(MeanOfProducts()));
  ASSERT_OK_AND_ASSIGN(const ModelProto again, Import(MeanOfProducts()));
  EXPECT_EQ(ModelHash(model), ModelHash(again));
  EXPECT_THAT(ParseModel(ModelBytes(model)).status(), testing::IsOk());
  EXPECT_EQ(model.graph().gradients_size(), 1);
  EXPECT_EQ(model.graph().values(0).name(), "w");
}

TEST(ImportTest, ComputesAgainWhatIsBehindABarrier) {
  for (const auto& [code, times] :
       {std::pair("copy", 1), std::pair("opt-barrier", 2)}) {
    ASSERT_OK_AND_ASSIGN(const ModelProto model,
                         Import(MeanOfProducts({.again = code})));
    EXPECT_EQ(NodesOf(model, "dot_general"), times) << code;
    EXPECT_EQ(NodesOf(model, "StopGradient"), 0) << code;
    EXPECT_THAT(ParseModel(ModelBytes(model)).status(), testing::IsOk());
  }
}

// A loss that follows from a state is none of an evaluation.
TEST(ImportTest, AnEvaluationHasNoLossOfATrainingWithState) {
  ImportProto from = MeanOfProducts();
  std::vector<std::string> warnings;
  ASSERT_OK_AND_ASSIGN(const ModelProto model, Import(from, &warnings));
  EXPECT_TRUE(warnings.empty());
  EXPECT_EQ(model.graph().loss_passes(), MetricSum::ALL);
  ImportFunction& function = *from.mutable_training();
  function.mutable_arguments(0)->set_kind(ImportArgument::STATE);
  function.mutable_results(1)->set_kind(ImportResult::STATE);
  ASSERT_OK_AND_ASSIGN(const ModelProto carried, Import(from, &warnings));
  EXPECT_EQ(carried.graph().loss_passes(), MetricSum::TRAINING_ALONE);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0], HasSubstr("return \"loss\" from eval_fn"));
}

// With dropout on it would be too high.
TEST(ImportTest, AnEvaluationHasNoLossOfATrainingThatDraws) {
  ImportProto from = MeanOfProducts({.draws = true, .of_each = true});
  AddMetric("product", *from.mutable_training());
  std::vector<std::string> warnings;
  ASSERT_OK_AND_ASSIGN(const ModelProto drawn, Import(from, &warnings));
  EXPECT_EQ(NodesOf(drawn, "random_bits"), 1);
  EXPECT_EQ(drawn.graph().loss_passes(), MetricSum::TRAINING_ALONE);
  EXPECT_EQ(PassesOf(drawn, "product"), MetricSum::TRAINING_ALONE);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0],
              AllOf(HasSubstr("as it draws random numbers, as dropout does"),
                    HasSubstr("return \"loss\" from eval_fn")));
}

// Without dropout, as eval_fn computes it, it has one.
TEST(ImportTest, AnEvaluationHasTheLossThatEvalFnReturns) {
  ImportProto from = MeanOfProducts({.draws = true});
  Evaluate({"loss"}, from);
  std::vector<std::string> warnings;
  ASSERT_OK_AND_ASSIGN(const ModelProto model, Import(from, &warnings));
  EXPECT_EQ(model.graph().loss_passes(), MetricSum::ALL);
  ASSERT_EQ(model.graph().evaluation_size(), 1);
  EXPECT_EQ(model.graph().evaluation(0).metric(), "loss");
  EXPECT_NE(model.graph().evaluation(0).value(), model.graph().loss());
  EXPECT_TRUE(warnings.empty());
}

TEST(ImportTest, WhatEvalFnAloneReturnsIsOfEvaluationsAlone) {
  ImportProto from = MeanOfProducts({.of_each = true});
  AddMetric("product", *from.mutable_training());
  Evaluate({"product", "score"}, from);
  ASSERT_OK_AND_ASSIGN(const ModelProto model, Import(from));
  ASSERT_EQ(model.graph().metrics_size(), 2);
  EXPECT_EQ(PassesOf(model, "product"), MetricSum::ALL);
  EXPECT_EQ(PassesOf(model, "score"), MetricSum::EVALUATION_ALONE);
  EXPECT_EQ(model.graph().loss_passes(), MetricSum::ALL);
}

// w sum(x d) / sum(d), the gradient of w, and that as a metric too.
std::string LoweredWithWeights(std::int64_t batch, bool metric = false) {
  ModuleBuilder b;
  const auto sum = b.Computation();
  {
    const auto x = b.Parameter({});
    const auto y = b.Parameter({});
    b.Op("add", {x, y}, {});
  }
  b.Computation();
  const auto w = b.Parameter({});
  const auto x = b.Parameter({batch});
  const auto d = b.Parameter({batch});
  const auto total = [&](std::int64_t of) {
    return b.Op("reduce", {of, b.Number(0)}, {}, hlo::F32,
                [&](hlo::Instruction& op) {
                  op.add_dimensions(0);
                  op.add_called_computation_ids(sum);
                });
  };
  const auto weighted = b.Op("multiply", {x, d}, {batch});
  const auto mean = b.Op("divide", {total(weighted), total(d)}, {});
  std::vector<std::int64_t> results = {b.Op("multiply", {w, mean}, {}), mean};
  if (metric) results.push_back(mean);
  b.Op("tuple", results, {}, hlo::TUPLE);
  return b.Bytes();
}

ImportProto WeightedMean() {
  ImportProto from = MeanOfProducts();
  ImportFunction& function = *from.mutable_training();
  for (auto& lowering : *function.mutable_lowerings())
    lowering.set_module(LoweredWithWeights(lowering.batch()));
  ImportArgument& d = *function.add_arguments();
  d.set_kind(ImportArgument::INPUT);
  d.set_name("d");
  return from;
}

TEST(ImportTest, AWeightedMeanHasAnEvalLossOfSums) {
  std::vector<std::string> warnings;
  ASSERT_OK_AND_ASSIGN(const ModelProto model,
                       Import(WeightedMean(), &warnings));
  EXPECT_THAT(warnings, ::testing::IsEmpty());
  const GraphProto& graph = model.graph();
  EXPECT_EQ(graph.loss_passes(), MetricSum::TRAINING_ALONE);
  ASSERT_EQ(graph.eval_loss().sums_size(), graph.metrics_size());
  for (int i = 0; i < graph.metrics_size(); ++i) {
    EXPECT_EQ(graph.metrics(i).name(), graph.eval_loss().sums(i));
    EXPECT_EQ(graph.metrics(i).passes(), MetricSum::EVALUATION_ALONE);
    EXPECT_EQ(graph.metrics(i).combine(), MetricSum::SUM);
  }
}

TEST(ImportTest, AMetricThatFollowsFromSumsOfThePodIsNoneOfAnEvaluation) {
  ImportProto from = WeightedMean();
  ImportFunction& function = *from.mutable_training();
  for (auto& lowering : *function.mutable_lowerings())
    lowering.set_module(LoweredWithWeights(lowering.batch(), /*metric=*/true));
  ImportResult& metric = *function.add_results();
  metric.set_kind(ImportResult::METRIC);
  metric.set_name("mean");
  std::vector<std::string> warnings;
  ASSERT_OK_AND_ASSIGN(const ModelProto model, Import(from, &warnings));
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0],
              HasSubstr("evaluation: it has no mean: that of the training "
                        "depends on sums over all cores' examples"));
  EXPECT_TRUE(model.graph().has_eval_loss());
}

// x times 1/B, rounded to bfloat16 and added up.
std::string LoweredInBFloat16(std::int64_t batch) {
  ModuleBuilder b;
  const auto add = b.Computation();
  const auto one = b.Parameter({});
  const auto other = b.Parameter({});
  b.Op("add", {one, other}, {});
  b.Computation();
  const auto w = b.Parameter({});
  const auto x = b.Parameter({batch});
  const auto shares = b.BFloat16(1.0F / static_cast<float>(batch), {batch});
  const auto wide = b.Op("convert", {shares}, {batch});
  const auto scaled = b.Op("multiply", {x, wide}, {batch});
  const auto sum = b.Op("reduce", {scaled, b.Number(0)}, {}, hlo::F32,
                        [&](hlo::Instruction& op) {
                          op.add_dimensions(0);
                          op.add_called_computation_ids(add);
                        });
  const auto loss = b.Op("multiply", {w, sum}, {});
  b.Op("tuple", {loss, sum}, {}, hlo::TUPLE);
  return b.Bytes();
}

TEST(ImportTest, RoundsANumberThatFollowsTheBatchToBFloat16) {
  ImportProto from = MeanOfProducts();
  for (auto& lowering : *from.mutable_training()->mutable_lowerings())
    lowering.set_module(LoweredInBFloat16(lowering.batch()));
  ASSERT_OK_AND_ASSIGN(const ModelProto model, Import(from));
  EXPECT_THAT(ParseModel(ModelBytes(model)).status(), testing::IsOk());
}

void ExpectRefused(const std::function<void(ImportProto&)>& change,
                   const std::string& why) {
  ImportProto from = MeanOfProducts();
  change(from);
  const auto model = Import(from);
  ASSERT_FALSE(model.ok()) << why;
  EXPECT_THAT(std::string(model.status().message()),
              HasSubstr("cannot import linear"));
  EXPECT_THAT(std::string(model.status().message()), HasSubstr(why));
}

TEST(ImportTest, RefusesWhatDoesNotFitTheFunction) {
  ExpectRefused(
      [](ImportProto& from) {
        from.mutable_training()->mutable_arguments()->RemoveLast();
      },
      "2 parameters, but 1 arguments");
  ExpectRefused(
      [](ImportProto& from) { from.mutable_training()->add_results(); },
      "2 results, but 3");
  ExpectRefused(
      [](ImportProto& from) {
        from.mutable_training()->mutable_results(1)->set_name("v");
      },
      "no variable 'v'");
  ExpectRefused(
      [](ImportProto& from) {
        from.mutable_training()->mutable_arguments(0)->set_kind(
            ImportArgument::INPUT);
      },
      "along the first dimension");
  ExpectRefused(
      [](ImportProto& from) {
        from.mutable_training()->mutable_arguments(1)->set_kind(
            ImportArgument::VARIABLE);
      },
      "know no batch");
  ExpectRefused(
      [](ImportProto& from) {
        from.mutable_training()->mutable_lowerings()->RemoveLast();
      },
      "three different");
  ExpectRefused(
      [](ImportProto& from) {
        from.mutable_training()->mutable_lowerings(1)->set_module("\x01");
      },
      "HLO module");
  ExpectRefused(
      [](ImportProto& from) {
        from.mutable_training()->mutable_results(0)->set_kind(
            ImportResult::UNKNOWN);
      },
      "no result is the loss");
  ExpectRefused(
      [](ImportProto& from) {
        from.mutable_training()->mutable_results(1)->set_kind(
            ImportResult::UNKNOWN);
      },
      "no result is the gradient of 'w'");
}

}  // namespace
}  // namespace podsim
