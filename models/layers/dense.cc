#include "models/layers/dense.h"

#include "absl/strings/str_cat.h"
#include "models/composites/expr.h"

namespace podsim {

Value Flatten(Graph& graph, Value x) {
  if (!graph.Owns(x)) return kNone;  // its error is latched
  const Shape& shape = graph.type(x).shape;
  if (shape.rank() == 2) return x;
  return graph.Reshape(x, {{shape.elements()}}, "flatten");
}

Value Dense(Graph& graph, const std::string& name, Value x, std::int64_t width,
            Activation activation) {
  if (!graph.Owns(x)) return kNone;
  const ValueType& type = graph.type(x);
  if (type.shape.batch_axis != 0 || type.shape.rank() != 2) {
    graph.Fail(absl::InvalidArgumentError(
        absl::StrCat(name, ": a dense layer takes [B, K], not ", ToString(type),
                     "; flatten it first")));
    return kNone;
  }
  const Value kernel =
      graph.Variable(name + "/kernel", {{type.shape.dims[1], width}},
                     KernelInitializer(activation));
  const Value bias =
      graph.Variable(name + "/bias", {{width}}, Initializer::kZeros);
  const Value product = graph.MatMul(x, kernel, name + "/matmul");
  return BiasActivation(graph, product, bias, activation, name);
}

Value Projection(Graph& graph, const std::string& name, Value x,
                 std::int64_t width, Activation activation, bool has_bias) {
  return Projection(graph, name, x, width,
                    {.activation = activation, .has_bias = has_bias});
}

Value Projection(Graph& graph, const std::string& name, Value x,
                 std::int64_t width, const KernelHow& how) {
  if (!graph.Owns(x)) return kNone;
  const std::int64_t last = graph.type(x).shape.rank() - 1;
  if (last < 0 || graph.type(x).shape.batch_axis == last) {
    graph.Fail(absl::InvalidArgumentError(
        absl::StrCat(name, ": a projection is along the last dimension, which ",
                     ToString(graph.type(x)), " has none of")));
    return kNone;
  }
  const std::int64_t inputs = graph.type(x).shape.dims.back();
  const Value kernel = graph.Variable(name + "/kernel", {{inputs, width}},
                                      KernelInitializer(how));
  const Value bias = how.has_bias ? graph.Variable(name + "/bias", {{width}},
                                                   Initializer::kZeros)
                                  : kNone;
  const Expr operand(graph, x, name);
  const Expr product =
      Dot(operand, operand.With(kernel), {{}, {last}, {}, {0}});
  return BiasActivation(graph, product.value(), bias, how.activation, name);
}

Initializer KernelInitializer(Activation activation) {
  return activation == Activation::kRelu ? Initializer::kHeNormal
                                         : Initializer::kGlorotUniform;
}

}  // namespace podsim
