#include "models/composites/dropout.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "models/composites/axis.h"
#include "models/composites/expr.h"

namespace podsim {
namespace {

constexpr OpCode kRandomBits("random_bits");
constexpr OpCode kSharedRandomBits("shared_random_bits");

// How many of them the graph has.
std::int64_t NextSite(const Graph& graph) {
  return std::count_if(
      graph.nodes().begin(), graph.nodes().end(), [](const GraphNode& node) {
        return node.op == kRandomBits || node.op == kSharedRandomBits;
      });
}

// uint32, of x's shape, or of one example's.
Expr BitsFor(Graph& graph, const Expr& x, DropoutMask mask) {
  OpAttributes attributes;
  attributes.shape = x.shape();
  attributes.lists["site"] = {NextSite(graph)};
  if (mask == DropoutMask::kOfEachExample)
    return x.With(graph.ExampleKeys())
        .Apply("random_bits", {}, std::move(attributes));
  attributes.shape = ExampleOf(x.shape());
  return x.With(graph.StepKeys())
      .Apply("shared_random_bits", {}, std::move(attributes));
}

// One example's choices for each of x.
Expr ForEachExample(const Expr& x, const Expr& choices) {
  return choices.Broadcast(x.shape(), OtherDims(x.rank(), {0}));
}

bool IsOfExamples(const Shape& shape) {
  return shape.batch_axis == 0 && shape.dims[0] == 1;
}

}  // namespace

Value Dropout(Graph& graph, Value x_value, double rate, const std::string& name,
              DropoutMask mask) {
  if (!(rate >= 0 && rate < 1))
    graph.Fail(absl::InvalidArgumentError(absl::StrCat(
        "a dropout rate is ", rate, " but must be at least 0 and below 1")));
  const Expr x(graph, x_value, name);
  AxisOf(graph, x, -1, "Dropout");
  const bool shares = mask == DropoutMask::kOfTheStep;
  if (shares && graph.status().ok() && !IsOfExamples(x.shape()))
    graph.Fail(absl::InvalidArgumentError(
        absl::StrCat("dropout that all examples share takes [B, ...], not ",
                     ToString(x.shape()))));
  if (!graph.status().ok()) return kNone;
  if (rate == 0) return x_value;
  const Expr bits = BitsFor(graph, x, mask);
  const double below = std::floor((1 - rate) * 0x1p32);
  const Expr chosen = bits.Compare("LT", bits.Splat(below));
  const Expr keeps = shares ? ForEachExample(x, chosen) : chosen;
  return keeps.Select(x * (1 / (1 - rate)), x.Splat(0)).value();
}

}  // namespace podsim
