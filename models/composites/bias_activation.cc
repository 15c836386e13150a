#include "models/composites/bias_activation.h"

#include "absl/strings/str_cat.h"
#include "models/composites/expr.h"
#include "models/composites/gelu.h"

namespace podsim {
namespace {

// Matrices have an op of their own, whose gradient is one sum of columns, in
// float32.
Value AddBias(Graph& graph, Value x, Value bias, const std::string& name) {
  const ValueType type = graph.type(x);
  const Shape& shape = type.shape;
  if (type.dtype == DType::kFloat32 && shape.rank() == 2 &&
      shape.batch_axis <= 0)
    return graph.AddBias(x, bias, name.empty() ? "" : name + "/add_bias");
  const Expr sum(graph, x, name);
  return (sum + sum.With(bias).Broadcast(shape, {shape.rank() - 1})).value();
}

}  // namespace

Value Activate(Graph& graph, Value x, Activation activation,
               const std::string& name) {
  switch (activation) {
    case Activation::kRelu:
      return graph.Relu(x, name.empty() ? "" : name + "/relu");
    case Activation::kTanh:
      return Expr(graph, x, name).Apply("tanh").value();
    case Activation::kGelu:
      return Gelu(graph, x, name);
    case Activation::kNone:
      break;
  }
  return x;
}

Value BiasActivation(Graph& graph, Value x, Value bias, Activation activation,
                     const std::string& name) {
  if (!graph.Owns(x)) return kNone;  // its error is latched
  if (bias.present()) x = AddBias(graph, x, bias, name);
  return Activate(graph, x, activation, name);
}

}  // namespace podsim
