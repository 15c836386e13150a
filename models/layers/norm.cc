#include "models/layers/norm.h"

#include "absl/strings/str_cat.h"
#include "models/composites/batch_norm.h"
#include "models/composites/layer_norm.h"

namespace podsim {
namespace {

struct NormVariables {
  Value scale;
  Value bias;
};

// Absent ones, and an error, if x has no last dimension.
NormVariables Variables(Graph& graph, const std::string& name, Value x) {
  if (!graph.Owns(x)) return {};  // its error is latched
  const Shape& shape = graph.type(x).shape;
  if (shape.rank() == 0 || shape.batch_axis == shape.rank() - 1) {
    graph.Fail(absl::InvalidArgumentError(absl::StrCat(
        name, ": ", ToString(shape), " has no last dimension of features")));
    return {};
  }
  const Shape features = {{shape.dims.back()}};
  return {graph.Variable(name + "/scale", features, Initializer::kOnes),
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

}  // namespace podsim
