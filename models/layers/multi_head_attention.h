// Attention of a sequence to itself or to another one.
#ifndef PODSIM_MODELS_LAYERS_MULTI_HEAD_ATTENTION_H_
#define PODSIM_MODELS_LAYERS_MULTI_HEAD_ATTENTION_H_

#include <cstdint>
#include <optional>
#include <string>

#include "models/composites/dropout.h"
#include "models/graph/graph.h"

namespace podsim {

// x [B, T, W] -> [B, T, W]: a projection of Attention
// (models/composites/attention.h) among three projections of x. Variables
// "<name>/query/kernel" [W, W] and "/bias" [W], likewise of value and out;
// "<name>/key/kernel" alone, as softmax does not see what all keys have in
// common.
Value MultiHeadAttention(Graph& graph, const std::string& name, Value x,
                         std::int64_t heads, Value mask = kNone);

struct MultiHead {
  std::int64_t heads = 1;
  Value mask = kNone;
  double dropout = 0;  // of the softmax's results
  DropoutMask dropped = DropoutMask::kOfEachExample;
  bool has_bias = true;  // of query, value and out
  bool has_key_bias = true;
  // Of all four kernels; none: as KernelInitializer says.
  std::optional<Initializer> initializer = std::nullopt;
};
// The same of what x [B, T, W] looks for in `memory` [B, S, W], which may be x.
Value MultiHeadAttention(Graph& graph, const std::string& name, Value x,
                         Value memory, const MultiHead& how);

}  // namespace podsim

#endif  // PODSIM_MODELS_LAYERS_MULTI_HEAD_ATTENTION_H_
