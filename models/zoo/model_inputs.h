// The inputs of a model that reads more than features and labels, said once for
// the graph and for who makes data of that kind.
#ifndef PODSIM_MODELS_ZOO_MODEL_INPUTS_H_
#define PODSIM_MODELS_ZOO_MODEL_INPUTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "models/graph/graph.h"
#include "models/ops/shape.h"

namespace podsim {

struct ModelInput {
  std::string name;
  DType dtype = DType::kInt32;
  Shape shape;             // of one example
  std::int64_t below = 0;  // whole numbers: each is of [0, below)
};

// The graph's inputs, in that order.
std::vector<Value> AddInputs(Graph& graph,
                             const std::vector<ModelInput>& inputs);

}  // namespace podsim

#endif  // PODSIM_MODELS_ZOO_MODEL_INPUTS_H_
