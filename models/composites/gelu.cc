#include "models/composites/gelu.h"

#include <cmath>
#include <numbers>

#include "models/composites/expr.h"

namespace podsim {

Value Gelu(Graph& graph, Value x_value, const std::string& name) {
  const Expr x(graph, x_value, name);
  const double factor = std::sqrt(2 * std::numbers::inv_pi);
  const Expr inner = (x + x * x * x * 0.044715) * factor;
  return (x * 0.5 * (inner.Apply("tanh") + 1)).value();
}

Value ExactGelu(Graph& graph, Value x_value, const std::string& name) {
  const Expr x(graph, x_value, name);
  const Expr inner = x * (1 / std::numbers::sqrt2);
  return (x * 0.5 * (inner.Apply("erf") + 1)).value();
}

}  // namespace podsim
