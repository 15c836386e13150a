#include "models/layers/norm.h"

#include "absl/strings/str_cat.h"
#include "models/composites/batch_norm.h"
#include "models/composites/expr.h"
#include "models/composites/layer_norm.h"

namespace podsim {
namespace {

struct NormVariables {
  Value scale;
  Value bias;
};

// Absent ones, and an error, if x has no last dimension.
NormVariables Variables(Graph& graph, const std::string& name, Value x,
                        Initializer scale = Initializer::kOnes) {
  if (!graph.Owns(x)) return {};  // its error is latched
  const Shape& shape = graph.type(x).shape;
  if (shape.rank() == 0 || shape.batch_axis == shape.rank() - 1) {
    graph.Fail(absl::InvalidArgumentError(absl::StrCat(
        name, ": ", ToString(shape), " has no last dimension of features")));
    return {};
  }
  const Shape features = {{shape.dims.back()}};
  return {graph.Variable(name + "/scale", features, scale),
          graph.Variable(name + "/bias", features, Initializer::kZeros)};
}

}  // namespace

Value LayerNorm(Graph& graph, const std::string& name, Value x,
                double epsilon) {
  const auto [scale, bias] = Variables(graph, name, x);
  return LayerNorm(graph, x, scale, bias, epsilon, name);
}

Value BatchNorm(Graph& graph, const std::string& name, Value x,
                double epsilon) {
  const auto [scale, bias] = Variables(graph, name, x);
  return BatchNormTraining(graph, x, scale, bias, epsilon, name).y;
}

Value BatchNorm(Graph& graph, const std::string& name, Value x,
                const MovingNorm& how, std::vector<VariableValue>& states) {
  const ComputesIn statistics(graph, DType::kFloat32);
  const auto [scale, bias] = Variables(graph, name, x, how.scale);
  if (!graph.Owns(scale)) return kNone;
  const Shape features = graph.type(scale).shape;
  const Value mean =
      graph.StateVariable(name + "/mean", features, Initializer::kZeros);
  const Value variance =
      graph.StateVariable(name + "/variance", features, Initializer::kOnes);
  if (!how.training)
    return BatchNormInference(graph, x, scale, bias, mean, variance,
                              how.epsilon, name);
  const BatchNormValues now =
      BatchNormTraining(graph, x, scale, bias, how.epsilon, name, how.group);
  if (!graph.status().ok()) return kNone;
  const auto move = [&](Value average, Value value, const char* what) {
    const Expr old(graph, average, name + "/moving_" + what);
    const Expr next = old * how.momentum +
                      old.With(value).StopGradient() * (1 - how.momentum);
    states.push_back({average, next.value()});
  };
  move(mean, now.mean, "mean");
  move(variance, now.variance, "variance");
  return now.y;
}

}  // namespace podsim
