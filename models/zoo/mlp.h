// The multi-layer perceptron: flatten, a dense layer with relu per hidden
// width, and a dense layer to the logits.
#ifndef PODSIM_MODELS_ZOO_MLP_H_
#define PODSIM_MODELS_ZOO_MLP_H_

#include <cstdint>
#include <span>

#include "models/graph/graph.h"

namespace podsim {

// x [B, ...] -> logits [B, classes]. Layers are "dense_0", "dense_1", ...
Value Mlp(Graph& graph, Value x, std::span<const std::int64_t> hidden,
          std::int64_t classes);

}  // namespace podsim

#endif  // PODSIM_MODELS_ZOO_MLP_H_
