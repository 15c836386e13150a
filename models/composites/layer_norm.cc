#include "models/composites/layer_norm.h"

#include "models/composites/axis.h"
#include "models/composites/expr.h"

namespace podsim {

Value LayerNorm(Graph& graph, Value x_value, Value scale, Value bias,
                double epsilon, const std::string& name) {
  const Expr x(graph, x_value, name);
  const std::int64_t last = AxisOf(graph, x, -1, "LayerNorm");
  if (!graph.status().ok()) return kNone;
  const Dims over = {last};
  const Expr centred = x - x.Mean(over).SpreadOver(x, over);
  const Expr variance = (centred * centred).Mean(over);
  const Expr inverse = (variance + epsilon).Apply("rsqrt");
  const Expr normal = centred * inverse.SpreadOver(x, over);
  return (normal * x.With(scale).Broadcast(x.shape(), over) +
          x.With(bias).Broadcast(x.shape(), over))
      .value();
}

}  // namespace podsim
