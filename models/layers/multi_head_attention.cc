#include "models/layers/multi_head_attention.h"

#include "models/composites/attention.h"
#include "models/layers/dense.h"

namespace podsim {

Value MultiHeadAttention(Graph& graph, const std::string& name, Value x,
                         std::int64_t heads, Value mask) {
  if (!graph.Owns(x)) return kNone;  // its error is latched
  const Shape& shape = graph.type(x).shape;
  // Without dimensions the first projection refuses it.
  const std::int64_t width = shape.dims.empty() ? 1 : shape.dims.back();
  const Value query = Projection(graph, name + "/query", x, width);
  const Value key = Projection(graph, name + "/key", x, width,
                               Activation::kNone, /*has_bias=*/false);
  const Value value = Projection(graph, name + "/value", x, width);
  const Value mixed = Attention(graph, query, key, value, heads, mask, name);
  return Projection(graph, name + "/out", mixed, width);
}

}  // namespace podsim
