#include "models/zoo/token_model.h"

#include "base/status.h"
#include "models/composites/dropout.h"
#include "models/composites/expr.h"
#include "models/zoo/classifier.h"
#include "models/zoo/model_inputs.h"

namespace podsim {
namespace {

// Keeps the mean of no tokens finite, as BERT's run_pretraining.py does.
constexpr double kFewTokens = 1e-5;

}  // namespace

std::vector<Value> AddInputs(Graph& graph,
                             const std::vector<ModelInput>& inputs) {
  std::vector<Value> values;
  values.reserve(inputs.size());
  for (const ModelInput& input : inputs)
    values.push_back(graph.Input(input.name, input.dtype, input.shape));
  return values;
}

absl::Status CheckTokenModel(const ModelConfig& config) {
  PODSIM_RETURN_IF_ERROR(CheckMostHidden(config, 0));
  return CheckNoBatchNorm(config);
}

Value MeanOverTokens(Graph& graph, Value values_value, Value weights,
                     const std::string& name) {
  const Expr values(graph, values_value, name);
  if (!weights.present()) return values.Mean({1}).value();
  const Expr weight = values.With(weights);
  const Expr sum = (values * weight).Sum({1});
  return (sum / (weight.Sum({1}) + kFewTokens)).value();
}

MetricInput PercentOf(const std::string& name, Value value) {
  MetricInput metric;
  metric.name = name;
  metric.value = value;
  metric.percent = true;
  return metric;
}

Value FeedForward(Graph& graph, const std::string& name, Value x,
                  std::int64_t hidden, const KernelHow& how, double dropout) {
  if (!graph.Owns(x)) return kNone;  // its error is latched
  const std::int64_t width = graph.type(x).shape.dims.back();
  const Value inner = Projection(graph, name + "/in", x, hidden, how);
  KernelHow out = how;
  out.activation = Activation::kNone;
  return Projection(graph, name + "/out",
                    Dropout(graph, inner, dropout, name + "/dropout"), width,
                    out);
}

}  // namespace podsim
