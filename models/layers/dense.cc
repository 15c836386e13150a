#include "models/layers/dense.h"

#include "absl/strings/str_cat.h"

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
  const std::int64_t inputs = type.shape.dims[1];
  const bool relu = activation == Activation::kRelu;
  const Value kernel = graph.Variable(
      name + "/kernel", {{inputs, width}},
      relu ? Initializer::kHeNormal : Initializer::kGlorotUniform);
  const Value bias =
      graph.Variable(name + "/bias", {{width}}, Initializer::kZeros);
  const Value product = graph.MatMul(x, kernel, name + "/matmul");
  const Value sum = graph.AddBias(product, bias, name + "/add_bias");
  return relu ? graph.Relu(sum, name + "/relu") : sum;
}

}  // namespace podsim
