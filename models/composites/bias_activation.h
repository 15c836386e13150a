// act(x + bias), as ops.
#ifndef PODSIM_MODELS_COMPOSITES_BIAS_ACTIVATION_H_
#define PODSIM_MODELS_COMPOSITES_BIAS_ACTIVATION_H_

#include <cstdint>
#include <string>

#include "models/graph/graph.h"

namespace podsim {

enum class Activation : std::uint8_t { kNone, kRelu, kTanh, kGelu };

Value Activate(Graph& graph, Value x, Activation activation,
               const std::string& name = "");

// `bias` has the size of x's last dimension, and is added along it; an absent
// one is none.
Value BiasActivation(Graph& graph, Value x, Value bias, Activation activation,
                     const std::string& name = "");

}  // namespace podsim

#endif  // PODSIM_MODELS_COMPOSITES_BIAS_ACTIVATION_H_
