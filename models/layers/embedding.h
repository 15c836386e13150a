// From whole numbers to vectors.
#ifndef PODSIM_MODELS_LAYERS_EMBEDDING_H_
#define PODSIM_MODELS_LAYERS_EMBEDDING_H_

#include <cstdint>
#include <string>

#include "models/graph/graph.h"

namespace podsim {

// ids int32 [B, ...] in [0, count) -> [B, ..., width]: row id of the variable
// `name` [count, width], normal with deviation 0.02.
Value Embedding(Graph& graph, const std::string& name, Value ids,
                std::int64_t count, std::int64_t width);

// x [B, T, W] plus the variable `name` [T, W], likewise.
Value AddPositions(Graph& graph, const std::string& name, Value x);

}  // namespace podsim

#endif  // PODSIM_MODELS_LAYERS_EMBEDDING_H_
