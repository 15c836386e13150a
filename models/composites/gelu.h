// Gaussian error linear units, as ops [Hendrycks and Gimpel, 2016].
#ifndef PODSIM_MODELS_COMPOSITES_GELU_H_
#define PODSIM_MODELS_COMPOSITES_GELU_H_

#include <string>

#include "models/graph/graph.h"

namespace podsim {

// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), what jax.nn.gelu means by
// itself.
Value Gelu(Graph& graph, Value x, const std::string& name = "");

// x/2 (1 + erf(x / sqrt(2))).
Value ExactGelu(Graph& graph, Value x, const std::string& name = "");

}  // namespace podsim

#endif  // PODSIM_MODELS_COMPOSITES_GELU_H_
