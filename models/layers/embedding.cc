#include "models/layers/embedding.h"

#include "absl/strings/str_cat.h"
#include "models/composites/expr.h"

namespace podsim {

Value Embedding(Graph& graph, const std::string& name, Value ids,
                std::int64_t count, std::int64_t width) {
  if (!graph.Owns(ids)) return kNone;  // its error is latched
  return RowsAt(
      graph, graph.Variable(name, {{count, width}}, Initializer::kSmallNormal),
      ids, name);
}

Value RowsAt(Graph& graph, Value table, Value ids, const std::string& name) {
  if (!graph.Owns(ids) || !graph.Owns(table)) return kNone;
  const std::int64_t rank = graph.type(ids).shape.rank();
  const std::int64_t width = graph.type(table).shape.dims.back();
  OpAttributes attributes;  // each id alone names a row
  attributes.lists = {{"offset_dims", {rank}},
                      {"collapsed_slice_dims", {0}},
                      {"start_index_map", {0}},
                      {"index_vector_dim", {rank}},
                      {"slice_sizes", {1, width}}};
  return Expr(graph, table, name)
      .Apply("gather", {Expr(graph, ids, name)}, std::move(attributes))
      .value();
}

Value ProductWithRows(Graph& graph, Value x, Value table,
                      const std::string& name) {
  if (!graph.Owns(x)) return kNone;
  const Expr operand(graph, x, name);
  return Dot(operand, operand.With(table), {{}, {operand.rank() - 1}, {}, {1}})
      .value();
}

Value AddPositions(Graph& graph, const std::string& name, Value x) {
  if (!graph.Owns(x)) return kNone;
  const Shape& shape = graph.type(x).shape;
  return AddPositions(graph, name, x, shape.rank() < 2 ? 1 : shape.dims[1]);
}

Value AddPositions(Graph& graph, const std::string& name, Value x,
                   std::int64_t count) {
  if (!graph.Owns(x)) return kNone;
  const Shape shape = graph.type(x).shape;
  if (shape.rank() != 3 || shape.batch_axis != 0) {
    graph.Fail(absl::InvalidArgumentError(absl::StrCat(
        name, ": positions are added to [B, T, W], not to ", ToString(shape))));
    return kNone;
  }
  const Expr sum(graph, x, name);
  Expr table = sum.With(graph.Variable(name, {{count, shape.dims[2]}},
                                       Initializer::kSmallNormal));
  if (count != shape.dims[1])
    table = table.Slice({0, 0}, {shape.dims[1], shape.dims[2]});
  return (sum + table.Broadcast(shape, {1, 2})).value();
}

}  // namespace podsim
