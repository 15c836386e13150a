#include "models/composites/dropout.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "models/composites/axis.h"
#include "models/composites/expr.h"

namespace podsim {
namespace {

constexpr OpCode kRandomBits("random_bits");

// How many of them the graph has.
std::int64_t NextSite(const Graph& graph) {
  return std::count_if(
      graph.nodes().begin(), graph.nodes().end(),
      [](const GraphNode& node) { return node.op == kRandomBits; });
}

}  // namespace

Value Dropout(Graph& graph, Value x_value, double rate,
              const std::string& name) {
  if (!(rate >= 0 && rate < 1))
    graph.Fail(absl::InvalidArgumentError(absl::StrCat(
        "a dropout rate is ", rate, " but must be at least 0 and below 1")));
  const Expr x(graph, x_value, name);
  AxisOf(graph, x, -1, "Dropout");
  if (!graph.status().ok()) return kNone;
  if (rate == 0) return x_value;
  OpAttributes attributes;
  attributes.shape = x.shape();
  attributes.lists["site"] = {NextSite(graph)};
  const Expr bits = x.With(graph.ExampleKeys())
                        .Apply("random_bits", {}, std::move(attributes));
  const double below = std::floor((1 - rate) * 0x1p32);
  const Expr keeps = bits.Compare("LT", bits.Splat(below));
  return keeps.Select(x * (1 / (1 - rate)), x.Splat(0)).value();
}

}  // namespace podsim
