// Normalizations with their variables "<name>/scale", 1, and "<name>/bias", 0.
#ifndef PODSIM_MODELS_LAYERS_NORM_H_
#define PODSIM_MODELS_LAYERS_NORM_H_

#include <string>

#include "models/graph/graph.h"

namespace podsim {

// Over the last dimension (models/composites/layer_norm.h).
Value LayerNorm(Graph& graph, const std::string& name, Value x,
                double epsilon = 1e-5);

// Per feature, the last dimension, by the statistics of the rows at hand
// (models/composites/batch_norm.h), of an evaluation too: it keeps no averages.
Value BatchNorm(Graph& graph, const std::string& name, Value x,
                double epsilon = 1e-5);

}  // namespace podsim

#endif  // PODSIM_MODELS_LAYERS_NORM_H_
