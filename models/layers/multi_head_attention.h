// Attention of a sequence to itself.
#ifndef PODSIM_MODELS_LAYERS_MULTI_HEAD_ATTENTION_H_
#define PODSIM_MODELS_LAYERS_MULTI_HEAD_ATTENTION_H_

#include <cstdint>
#include <string>

#include "models/graph/graph.h"

namespace podsim {

// x [B, T, W] -> [B, T, W]: a projection of Attention
// (models/composites/attention.h) among three projections of x. Variables
// "<name>/query/kernel" [W, W] and "/bias" [W], likewise of value and out;
// "<name>/key/kernel" alone, as softmax does not see what all keys have in
// common.
Value MultiHeadAttention(Graph& graph, const std::string& name, Value x,
                         std::int64_t heads, Value mask = kNone);

}  // namespace podsim

#endif  // PODSIM_MODELS_LAYERS_MULTI_HEAD_ATTENTION_H_
