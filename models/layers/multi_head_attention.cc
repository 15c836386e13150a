#include "models/layers/multi_head_attention.h"

#include "models/composites/attention.h"
#include "models/layers/dense.h"

namespace podsim {

Value MultiHeadAttention(Graph& graph, const std::string& name, Value x,
                         std::int64_t heads, Value mask) {
  return MultiHeadAttention(
      graph, name, x, x, {.heads = heads, .mask = mask, .has_key_bias = false});
}

Value MultiHeadAttention(Graph& graph, const std::string& name, Value x,
                         Value memory, const MultiHead& how) {
  if (!graph.Owns(x) || !graph.Owns(memory)) return kNone;  // latched
  const Shape& shape = graph.type(x).shape;
  // Without dimensions the first projection refuses it.
  const std::int64_t width = shape.dims.empty() ? 1 : shape.dims.back();
  const auto project = [&](const char* what, Value from, bool has_bias) {
    return Projection(
        graph, name + what, from, width,
        KernelHow{.has_bias = has_bias, .initializer = how.initializer});
  };
  const Value query = project("/query", x, how.has_bias);
  const Value key = project("/key", memory, how.has_key_bias);
  const Value value = project("/value", memory, how.has_bias);
  const Value mixed = Attention(graph, query, key, value, how.heads, how.mask,
                                name, how.dropout, how.dropped);
  return project("/out", mixed, how.has_bias);
}

}  // namespace podsim
