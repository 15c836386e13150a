#include "models/composites/attention.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "models/composites/expr.h"
#include "models/composites/softmax.h"

namespace podsim {
namespace {

// Far below every score, far above where float32 ends.
constexpr double kUnseen = -1e30;

bool IsSequence(const Shape& shape) {
  return shape.rank() == 3 && shape.batch_axis == 0 && shape.dims[0] == 1;
}

bool CheckAttention(Graph& graph, const Expr& query, const Expr& key,
                    const Expr& value, std::int64_t heads) {
  const Shape q = query.shape();
  const Shape k = key.shape();
  const bool fits = IsSequence(q) && IsSequence(k) && k == value.shape() &&
                    q.dims[2] == k.dims[2] && heads >= 1 &&
                    q.dims[2] % heads == 0;
  if (!fits)
    graph.Fail(absl::InvalidArgumentError(absl::StrCat(
        "attention of ", heads,
        " heads takes [B, T, W], [B, S, W] and "
        "[B, S, W] of a W that they divide, not ",
        ToString(q), ", ", ToString(k), " and ", ToString(value.shape()))));
  return graph.status().ok();
}

// [B, T, W] -> [B, T, heads, W / heads]
Expr Split(const Expr& x, std::int64_t heads) {
  const Shape shape = x.shape();
  return x.Reshape(
      {{1, shape.dims[1], heads, shape.dims[2] / heads}, shape.batch_axis});
}

// Dimensions of scores that a mask has: all but the heads', or the keys' alone.
Expr Masked(const Expr& scores, const Expr& mask) {
  const bool of_examples = mask.shape().batched();
  const Dims to = mask.rank() > 2 ? Dims{0, 2, 3}
                  : of_examples   ? Dims{0, 3}
                                  : Dims{2, 3};
  return mask.Broadcast(scores.shape(), to)
      .Select(scores, scores.Splat(kUnseen));
}

}  // namespace

Value Attention(Graph& graph, Value query_value, Value key_value,
                Value value_value, std::int64_t heads, Value mask,
                const std::string& name, double dropout, DropoutMask dropped) {
  const Expr query(graph, query_value, name);
  const Expr key = query.With(key_value);
  const Expr value = query.With(value_value);
  if (!CheckAttention(graph, query, key, value, heads)) return kNone;
  const Shape shape = query.shape();
  const auto columns = static_cast<double>(shape.dims[2] / heads);
  // [B, heads, T, S]
  Expr scores =
      Dot(Split(query, heads), Split(key, heads), {{0, 2}, {3}, {0, 2}, {3}}) *
      (1 / std::sqrt(columns));
  if (mask.present()) scores = Masked(scores, query.With(mask));
  const Expr shares = query.With(
      Dropout(graph, Softmax(graph, scores.value(), -1, name), dropout,
              name.empty() ? "" : name + "/dropout", dropped));
  const Expr mixed =
      Dot(shares, Split(value, heads), {{0, 1}, {3}, {0, 2}, {1}});
  return mixed.Transpose({0, 2, 1, 3}).Reshape(shape).value();
}

Value CausalMask(Graph& graph, std::int64_t length, const std::string& name) {
  const auto places = [&](std::int64_t dimension) {
    OpAttributes attributes;
    attributes.shape = {{length, length}};
    attributes.dtype = DType::kInt32;
    attributes.lists["iota_dimension"] = {dimension};
    return Expr(graph,
                graph.Apply(OpCode("iota"), {}, std::move(attributes),
                            name.empty() ? "" : name + "/iota")[0],
                name);
  };
  return places(0).Compare("GE", places(1)).value();
}

}  // namespace podsim
