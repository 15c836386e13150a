#include "models/composites/places.h"

#include <numbers>
#include <utility>

#include "absl/strings/str_cat.h"
#include "models/composites/expr.h"

namespace podsim {
namespace {

// Whether x is [B, T, W]; else an error of the graph.
bool CheckSequence(Graph& graph, const Expr& x, const char* what) {
  if (!x.present()) return false;  // its error is latched
  const Shape shape = x.shape();
  if (shape.rank() != 3 || shape.batch_axis != 0 || shape.dims[0] != 1)
    graph.Fail(absl::InvalidArgumentError(
        absl::StrCat(what, " takes [B, T, W], not ", ToString(shape))));
  return graph.status().ok();
}

Expr Concatenated(const Expr& a, const Expr& b, std::int64_t dimension) {
  OpAttributes attributes;
  attributes.lists["dimension"] = {dimension};
  return a.Apply("concatenate", {b}, std::move(attributes));
}

// 0, 1, ..., count - 1 along `dimension` of [rows, columns], float32.
Expr Counted(Graph& graph, std::int64_t rows, std::int64_t columns,
             std::int64_t dimension, const std::string& name) {
  OpAttributes attributes;
  attributes.shape = {{rows, columns}};
  attributes.dtype = DType::kFloat32;
  attributes.lists["iota_dimension"] = {dimension};
  return {graph,
          graph.Apply(OpCode("iota"), {}, std::move(attributes),
                      name.empty() ? "" : name + "/iota")[0],
          name};
}

// [length, 2 half]; in float32, as angles need.
Expr Sinusoids(Graph& graph, std::int64_t length, std::int64_t half,
               const std::string& name) {
  const ComputesIn float32(graph, DType::kFloat32);
  const double ratio = -4 * std::numbers::ln10 / static_cast<double>(half - 1);
  const Expr places = Counted(graph, length, half, 0, name);
  const Expr columns = Counted(graph, length, half, 1, name);
  const Expr angles = places * (columns * ratio).Apply("exponential");
  const Expr sines = angles.Apply("sine");
  return Concatenated(sines, angles.Apply("cosine"), 1);
}

}  // namespace

Value AtPlaces(Graph& graph, Value x_value, Value places,
               const std::string& name) {
  const Expr x(graph, x_value, name);
  if (!CheckSequence(graph, x, "AtPlaces")) return kNone;
  OpAttributes attributes;  // an example's places are of its own elements
  attributes.lists = {{"offset_dims", {2}},
                      {"collapsed_slice_dims", {1}},
                      {"operand_batching_dims", {0}},
                      {"start_indices_batching_dims", {0}},
                      {"start_index_map", {1}},
                      {"index_vector_dim", {2}},
                      {"slice_sizes", {1, 1, x.shape().dims[2]}}};
  return x.Apply("gather", {x.With(places)}, std::move(attributes)).value();
}

Value ShiftedRight(Graph& graph, Value x_value, const std::string& name) {
  const Expr x(graph, x_value, name);
  if (!CheckSequence(graph, x, "ShiftedRight")) return kNone;
  Shape first = x.shape();
  const std::int64_t length = first.dims[1];
  first.dims[1] = 1;
  const Expr zeros = x.Splat(0, first, x.dtype());
  if (length == 1) return zeros.value();
  return Concatenated(zeros, x.Slice({0, 0, 0}, {1, length - 1, first.dims[2]}),
                      1)
      .value();
}

Value AddSinusoids(Graph& graph, Value x_value, const std::string& name) {
  const Expr x(graph, x_value, name);
  if (!CheckSequence(graph, x, "AddSinusoids")) return kNone;
  const Shape shape = x.shape();
  const std::int64_t length = shape.dims[1];
  const std::int64_t half = shape.dims[2] / 2;
  if (shape.dims[2] % 2 != 0 || half < 2) {
    graph.Fail(absl::InvalidArgumentError(absl::StrCat(
        "AddSinusoids takes an even width of 4 or more, not ", shape.dims[2])));
    return kNone;
  }
  const Expr waves = Sinusoids(graph, length, half, name);
  return (x + waves.Broadcast(shape, {1, 2})).value();
}

}  // namespace podsim
