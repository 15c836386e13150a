#include "tests/host/core/composite_graphs.h"

#include <iterator>
#include <string>
#include <utility>

#include "models/composites/attention.h"
#include "models/composites/batch_norm.h"
#include "models/composites/expr.h"
#include "models/composites/layer_norm.h"
#include "models/composites/softmax.h"
#include "models/composites/softmax_cross_entropy.h"

namespace podsim::testing {
namespace {

Tensor Filled(const ValueType& type, std::int64_t rows, double number) {
  Tensor tensor(type, rows);
  for (double& each : tensor.values) each = number;
  return tensor;
}

Value Given(Built& built, const std::string& name, const Shape& shape,
            const std::vector<double>& numbers, std::int64_t rows) {
  const Value value = built.graph.Input(name, DType::kFloat32, shape);
  Tensor tensor(built.graph.type(value), rows);
  tensor.values = numbers;
  built.given.insert_or_assign(value.id, std::move(tensor));
  return value;
}

Value GivenVariable(Built& built, const std::string& name, std::int64_t count,
                    double number) {
  const Value value =
      built.graph.Variable(name, {{count}}, Initializer::kZeros);
  built.given.insert_or_assign(value.id,
                               Filled(built.graph.type(value), 1, number));
  return value;
}

// [B, N], with 1 at each row's place for the gradient of what is as large.
void GiveRows(Built& built, const Places& at) {
  const auto count = static_cast<std::int64_t>(at.count());
  const auto width = static_cast<std::int64_t>(at.width());
  std::vector<double> numbers;
  for (const Row& row : at.rows)
    numbers.insert(numbers.end(), row.begin(), row.end());
  built.x = Given(built, "x", {{width}}, numbers, count);
  built.dy = Tensor(built.graph.type(built.x), count);
  for (std::size_t i = 0; i < at.count(); ++i)
    built.dy.values[i * at.width() + at.places[i]] = 1;
}

Value Labels(Built& built, const Places& at) {
  const Value labels = built.graph.Labels();
  const auto count = static_cast<std::int64_t>(at.count());
  Tensor tensor(built.graph.type(labels), count);
  for (std::size_t i = 0; i < at.count(); ++i)
    tensor.values[i] = static_cast<double>(at.places[i]);
  built.given.insert_or_assign(labels.id, tensor);
  built.dy = Filled(Batched({}), count, 1);
  return labels;
}

void BuildAttention(Built& built, const Places& at, bool by_keys) {
  const auto count = static_cast<std::int64_t>(at.count());
  const auto width = static_cast<std::int64_t>(at.width());
  std::vector<double> queries;
  std::vector<double> numbers;
  std::vector<double> others;
  for (std::size_t i = 0; i < at.count(); ++i) {
    queries.push_back(0.5 * kQueries[at.places[i]]);
    numbers.insert(numbers.end(), at.rows[i].begin(), at.rows[i].end());
    others.insert(others.end(), std::begin(kValues), std::end(kValues));
  }
  built.x = Given(built, "x", {{width, 1}}, numbers, count);
  const Value other = Given(built, "others", {{width, 1}}, others, count);
  const Value query = Given(built, "query", {{1, 1}}, queries, count);
  built.y = by_keys ? Attention(built.graph, query, built.x, other, 1)
                    : Attention(built.graph, query, other, built.x, 1);
  built.dy = Filled(built.graph.type(built.y), count, 1);
}

}  // namespace

void BuildSoftmax(Built& built, const Places& at) {
  GiveRows(built, at);
  built.y = Softmax(built.graph, built.x, -1);
}

void BuildLogSoftmax(Built& built, const Places& at) {
  GiveRows(built, at);
  const Expr x(built.graph, built.x, "");
  const Dims over = {1};
  const Expr z =
      x - x.Reduce("maximum", over).StopGradient().SpreadOver(x, over);
  const Expr sum = z.Apply("exponential").Sum(over);
  built.y = (z - sum.Apply("log").SpreadOver(x, over)).value();
}

void BuildCrossEntropy(Built& built, const Places& at) {
  GiveRows(built, at);
  const Value labels = Labels(built, at);
  built.y = SoftmaxCrossEntropy(built.graph, built.x, labels).loss;
}

void BuildLogLikelihood(Built& built, const Places& at) {
  GiveRows(built, at);
  const Value labels = Labels(built, at);
  OpAttributes attributes;
  attributes.word = kInfinityIsNan;
  built.y = built.graph.Apply(OpCode::kSoftmaxXent, {built.x, labels},
                              std::move(attributes))[1];
}

void BuildSmoothed(Built& built, const Places& at) {
  GiveRows(built, at);
  const Value labels = Labels(built, at);
  built.y = SoftmaxCrossEntropy(built.graph, built.x, labels, kSmoothing).loss;
}

void BuildLayerNorm(Built& built, const Places& at) {
  GiveRows(built, at);
  const auto width = static_cast<std::int64_t>(at.width());
  const Value scale = GivenVariable(built, "scale", width, kGain);
  const Value bias = GivenVariable(built, "bias", width, kBias);
  built.y = LayerNorm(built.graph, built.x, scale, bias, kEpsilon);
}

void BuildRmsNorm(Built& built, const Places& at) {
  GiveRows(built, at);
  const Expr x(built.graph, built.x, "");
  const Expr inverse = ((x * x).Mean({1}) + kEpsilon).Apply("rsqrt");
  built.y = (x * inverse.SpreadOver(x, {1})).value();
}

void BuildBatchNorm(Built& built, const Places& at) {
  const auto features = static_cast<std::int64_t>(at.count());
  const auto examples = static_cast<std::int64_t>(at.width());
  std::vector<double> numbers(at.count() * at.width());
  std::vector<double> chosen(numbers.size());
  for (std::size_t i = 0; i < at.count(); ++i) {
    for (std::size_t j = 0; j < at.width(); ++j)
      numbers[j * at.count() + i] = at.rows[i][j];
    chosen[at.places[i] * at.count() + i] = 1;
  }
  built.x = Given(built, "x", {{features}}, numbers, examples);
  built.dy = Tensor(built.graph.type(built.x), examples);
  built.dy.values = chosen;
  const Value scale = GivenVariable(built, "scale", features, kGain);
  const Value bias = GivenVariable(built, "bias", features, kBias);
  built.y = BatchNormTraining(built.graph, built.x, scale, bias, kEpsilon).y;
}

void BuildAttentionByKeys(Built& built, const Places& at) {
  BuildAttention(built, at, /*by_keys=*/true);
}
void BuildAttentionOfValues(Built& built, const Places& at) {
  BuildAttention(built, at, /*by_keys=*/false);
}

}  // namespace podsim::testing
