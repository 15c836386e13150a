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

// The same of a table [count, width] that others read too.
Value RowsAt(Graph& graph, Value table, Value ids, const std::string& name);

// x [B, ..., width] times the rows of a table [count, width]: [B, ..., count].
// The table of an embedding as the kernel of a model's last layer [Press and
// Wolf, Using the output embedding to improve language models, 2017].
Value ProductWithRows(Graph& graph, Value x, Value table,
                      const std::string& name);

// x [B, T, W] plus the variable `name` [T, W], likewise.
Value AddPositions(Graph& graph, const std::string& name, Value x);

// The same with the first T rows of a variable [count, W]. REQUIRES: T <=
// count.
Value AddPositions(Graph& graph, const std::string& name, Value x,
                   std::int64_t count);

}  // namespace podsim

#endif  // PODSIM_MODELS_LAYERS_EMBEDDING_H_
