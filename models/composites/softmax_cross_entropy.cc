#include "models/composites/softmax_cross_entropy.h"

#include "absl/strings/str_cat.h"
#include "models/composites/axis.h"
#include "models/composites/expr.h"

namespace podsim {
namespace {

// 0, 1, ..., N - 1 along dimension `axis` of `shape`.
Expr Positions(const Expr& like, const Shape& shape, std::int64_t axis,
               Graph& graph) {
  const std::int64_t count = shape.dims[static_cast<std::size_t>(axis)];
  OpAttributes attributes;
  attributes.shape = {{count}};
  attributes.dtype = DType::kInt32;
  attributes.lists["iota_dimension"] = {0};
  return like.With(graph.Apply(OpCode("iota"), {}, std::move(attributes))[0])
      .Broadcast(shape, {axis});
}

CrossEntropyValues Expanded(Graph& graph, const Expr& x, const Expr& label,
                            double smoothing) {
  const std::int64_t last = x.rank() - 1;
  const Dims over = {last};
  const Expr top = x.Reduce("maximum", over).StopGradient();
  const Expr z = x - top.SpreadOver(x, over);
  const Expr log_sum = z.Apply("exponential").Sum(over).Apply("log");
  const Expr is_label = Positions(x, x.shape(), last, graph)
                            .Compare("EQ", label.SpreadOver(x, over));
  // Targets sum to 1, so that z may stand for x in the whole of it.
  Expr target = is_label.Select(z, z.Splat(0)).Sum(over);
  if (smoothing > 0)
    target = target * (1 - smoothing) + z.Mean(over) * smoothing;
  OpAttributes along;
  along.lists["dimensions"] = over;
  const Expr correct =
      x.Apply("arg_max", {}, std::move(along)).Compare("EQ", label);
  return {(log_sum - target).value(), correct.Convert(DType::kFloat32).value()};
}

}  // namespace

CrossEntropyValues SoftmaxCrossEntropy(Graph& graph, Value logits, Value labels,
                                       double smoothing,
                                       const std::string& name) {
  const Expr x(graph, logits, name);
  AxisOf(graph, x, -1, "SoftmaxCrossEntropy");
  if (!(smoothing >= 0 && smoothing < 1))
    graph.Fail(absl::InvalidArgumentError(
        absl::StrCat("label smoothing is ", smoothing,
                     " but must be at least 0 and below 1")));
  if (!graph.status().ok()) return {};
  const Shape& shape = graph.type(logits).shape;
  if (smoothing == 0 && shape.rank() == 2 && shape.batch_axis == 0) {
    const auto values = graph.SoftmaxXent(logits, labels, name);
    return {values.loss, values.correct};
  }
  return Expanded(graph, x, {graph, labels, name}, smoothing);
}

}  // namespace podsim
