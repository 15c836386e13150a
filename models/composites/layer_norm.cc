#include "models/composites/layer_norm.h"

#include "models/composites/axis.h"
#include "models/composites/expr.h"
#include "models/composites/variance.h"

namespace podsim {

Value LayerNorm(Graph& graph, Value x_value, Value scale, Value bias,
                double epsilon, const std::string& name) {
  const ComputesIn statistics(graph, DType::kFloat32);
  const Expr given(graph, x_value, name);
  const std::int64_t last = AxisOf(graph, given, -1, "LayerNorm");
  if (!graph.status().ok()) return kNone;
  const Dims over = {last};
  const Expr x = given.As(DType::kFloat32);
  const Expr mean = x.Mean(over);
  const Expr centred = x - mean.SpreadOver(x, over);
  const Expr variance = given.dtype() == DType::kBFloat16
                            ? OnePassVariance((x * x).Mean(over), mean)
                            : (centred * centred).Mean(over);
  const Expr inverse = (variance + epsilon).Apply("rsqrt");
  const Expr normal = centred * inverse.SpreadOver(x, over);
  return (normal * x.With(scale).Broadcast(x.shape(), over) +
          x.With(bias).Broadcast(x.shape(), over))
      .As(given.dtype())
      .value();
}

}  // namespace podsim
