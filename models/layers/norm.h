// Normalizations with their variables "<name>/scale", 1, and "<name>/bias", 0.
#ifndef PODSIM_MODELS_LAYERS_NORM_H_
#define PODSIM_MODELS_LAYERS_NORM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "models/graph/graph.h"

namespace podsim {

// Over the last dimension (models/composites/layer_norm.h).
Value LayerNorm(Graph& graph, const std::string& name, Value x,
                double epsilon = 1e-5);

// Per feature, the last dimension, by the statistics of the rows at hand
// (models/composites/batch_norm.h), of an evaluation too: it keeps no averages.
Value BatchNorm(Graph& graph, const std::string& name, Value x,
                double epsilon = 1e-5);

// The same with moving averages, for an evaluation that looks at one example at
// a time: state variables "<name>/mean", 0, and "<name>/variance", 1. In
// training by the statistics of the rows at hand, and `states`
// (CompileInput::states) gets what the averages become: momentum times
// themselves plus the rest times these (Keras' and flax's rule). Else by the
// averages.
struct MovingNorm {
  bool training = true;
  double momentum = 0.99;
  double epsilon = 1e-5;
  // Neighbouring cores whose rows are at hand together; 0: all.
  std::int64_t group = 1;
  // What "<name>/scale" begins with: kZeros where a sum is to begin without
  // what is normalized here [Goyal et al., Accurate, large minibatch SGD, 2017,
  // section 5.1].
  Initializer scale = Initializer::kOnes;
};
Value BatchNorm(Graph& graph, const std::string& name, Value x,
                const MovingNorm& how, std::vector<VariableValue>& states);

}  // namespace podsim

#endif  // PODSIM_MODELS_LAYERS_NORM_H_
