// Layers as graph builders: each appends ops and variables under its name and
// returns the layer's result. Errors are latched in the graph.
#ifndef PODSIM_MODELS_LAYERS_DENSE_H_
#define PODSIM_MODELS_LAYERS_DENSE_H_

#include <cstdint>
#include <string>

#include "models/graph/graph.h"

namespace podsim {

enum class Activation : std::uint8_t { kNone, kRelu };

// x [B, ...] -> [B, product of the other dimensions], without moving data.
Value Flatten(Graph& graph, Value x);

// act(x * kernel + bias): x [B, K] -> [B, width]. Variables "<name>/kernel",
// He-normal before a relu and Glorot-uniform otherwise, and "<name>/bias", 0.
Value Dense(Graph& graph, const std::string& name, Value x, std::int64_t width,
            Activation activation);

}  // namespace podsim

#endif  // PODSIM_MODELS_LAYERS_DENSE_H_
