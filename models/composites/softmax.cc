#include "models/composites/softmax.h"

#include "models/composites/axis.h"
#include "models/composites/expr.h"

namespace podsim {

Value Softmax(Graph& graph, Value x_value, int axis, const std::string& name) {
  const ComputesIn float32(graph, DType::kFloat32);
  const Expr given(graph, x_value, name);
  const Dims over = {AxisOf(graph, given, axis, "Softmax")};
  if (!graph.status().ok()) return kNone;
  const Expr x = given.As(DType::kFloat32);
  const Expr top = x.Reduce("maximum", over).StopGradient();
  const Expr e = (x - top.SpreadOver(x, over)).Apply("exponential");
  return (e / e.Sum(over).SpreadOver(x, over)).As(given.dtype()).value();
}

}  // namespace podsim
