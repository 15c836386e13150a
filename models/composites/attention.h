// Scaled dot-product attention with heads, as ops.
#ifndef PODSIM_MODELS_COMPOSITES_ATTENTION_H_
#define PODSIM_MODELS_COMPOSITES_ATTENTION_H_

#include <cstdint>
#include <string>

#include "models/composites/dropout.h"
#include "models/graph/graph.h"

namespace podsim {

// query [B, T, W], key and value [B, S, W] -> [B, T, W]: per head, which has
// W / heads neighbouring columns of each, softmax(query key^T / sqrt(columns))
// value [Vaswani et al., Attention is all you need, 2017, section 3.2].
// `mask`, if present: bool [T, S], [B, S] or [B, T, S], false where a query
// must not look; every query looks somewhere. Of the softmax's results the part
// `dropout` is dropped, as `dropped` says (dropout.h).
Value Attention(Graph& graph, Value query, Value key, Value value,
                std::int64_t heads, Value mask = kNone,
                const std::string& name = "", double dropout = 0,
                DropoutMask dropped = DropoutMask::kOfEachExample);

// bool [length, length]: whether a place is no later than a query's, what a
// language model may look at.
Value CausalMask(Graph& graph, std::int64_t length,
                 const std::string& name = "");

}  // namespace podsim

#endif  // PODSIM_MODELS_COMPOSITES_ATTENTION_H_
