#include "models/composites/softmax.h"

#include "models/composites/axis.h"
#include "models/composites/expr.h"

namespace podsim {

Value Softmax(Graph& graph, Value x_value, int axis, const std::string& name) {
  const Expr x(graph, x_value, name);
  const Dims over = {AxisOf(graph, x, axis, "Softmax")};
  if (!graph.status().ok()) return kNone;
  const Expr top = x.Reduce("maximum", over).StopGradient();
  const Expr e = (x - top.SpreadOver(x, over)).Apply("exponential");
  return (e / e.Sum(over).SpreadOver(x, over)).value();
}

}  // namespace podsim
