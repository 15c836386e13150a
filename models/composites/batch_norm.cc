#include "models/composites/batch_norm.h"

#include "models/composites/axis.h"
#include "models/composites/expr.h"
#include "models/composites/variance.h"

namespace podsim {
namespace {

// What stands in all dimensions but the last.
Dims AllButLast(const Expr& x) { return OtherDims(x.rank(), {x.rank() - 1}); }

// The sum over the cores that normalize together.
Expr OverGroup(const Expr& of_core, std::int64_t group) {
  if (group == 1) return of_core;
  OpAttributes attributes;
  attributes.word = "add";
  attributes.lists[kGroupSize] = {group};
  return of_core.Apply(OpCode::kAllReduce.name().data(), {}, attributes);
}

// How many elements a feature has in the group, a number: B is known only where
// it runs, so ones are counted. Each core has as many; how many cores all of
// the slice are (group 0) is known there alone as well.
Expr CountOf(const Expr& x, std::int64_t group) {
  Shape places = x.shape();
  places.dims.pop_back();
  const Expr of_core = x.Splat(1, places, DType::kFloat32).Sum(AllButLast(x));
  return group > 1 ? of_core * static_cast<double>(group)
                   : OverGroup(of_core, group);
}

Expr Normalized(const Expr& centred, const Expr& variance, double epsilon,
                const Expr& scale, const Expr& bias) {
  const Dims over = AllButLast(centred);
  const Expr factor = (variance + epsilon).Apply("rsqrt") * scale;
  return centred * factor.SpreadOver(centred, over) +
         bias.SpreadOver(centred, over);
}

bool Check(Graph& graph, const Expr& x) {
  AxisOf(graph, x, -1, "BatchNorm");
  if (graph.status().ok() && x.shape().batch_axis == x.rank() - 1)
    graph.Fail(absl::InvalidArgumentError(
        absl::StrCat("BatchNorm of ", ToString(x.shape()),
                     ": the last dimension is the features', not B")));
  return graph.status().ok();
}

}  // namespace

BatchNormValues BatchNormTraining(Graph& graph, Value x_value, Value scale,
                                  Value bias, double epsilon,
                                  const std::string& name, std::int64_t group) {
  const ComputesIn statistics(graph, DType::kFloat32);
  const Expr given(graph, x_value, name);
  if (!Check(graph, given)) return {};
  const Expr x = given.As(DType::kFloat32);
  const bool one_pass = given.dtype() == DType::kBFloat16;
  const Dims over = AllButLast(x);
  const auto sum_of = [&](const Expr& values) {
    return OverGroup(values.Sum(over), group);
  };
  const Expr sum = sum_of(x);
  // Each core of the group has as many.
  const Expr count = CountOf(x, group).Broadcast(sum.shape(), {});
  const Expr mean = sum / count;
  const Expr centred = x - mean.SpreadOver(x, over);
  const Expr variance = one_pass ? OnePassVariance(sum_of(x * x) / count, mean)
                                 : sum_of(centred * centred) / count;
  const Expr y =
      Normalized(centred, variance, epsilon, x.With(scale), x.With(bias));
  return {y.As(given.dtype()).value(), mean.value(), variance.value()};
}

Value BatchNormInference(Graph& graph, Value x_value, Value scale, Value bias,
                         Value mean, Value variance, double epsilon,
                         const std::string& name) {
  const ComputesIn statistics(graph, DType::kFloat32);
  const Expr given(graph, x_value, name);
  if (!Check(graph, given)) return kNone;
  const Expr x = given.As(DType::kFloat32);
  const Expr centred = x - x.With(mean).SpreadOver(x, AllButLast(x));
  return Normalized(centred, x.With(variance), epsilon, x.With(scale),
                    x.With(bias))
      .As(given.dtype())
      .value();
}

}  // namespace podsim
