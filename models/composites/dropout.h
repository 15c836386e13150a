// Dropout, as ops.
#ifndef PODSIM_MODELS_COMPOSITES_DROPOUT_H_
#define PODSIM_MODELS_COMPOSITES_DROPOUT_H_

#include <cstdint>
#include <string>

#include "models/graph/graph.h"

namespace podsim {

// Whose the choice is of what is dropped.
enum class DropoutMask : std::uint8_t {
  kOfEachExample,  // by the example's key: the same for it in any batch
  kOfTheStep,      // by the step's key: the same for all examples of a step
};

// x [B, ...] with each element 0 with probability `rate` and divided by
// 1 - rate otherwise [Srivastava et al., Dropout, 2014, section 10]. Which ones
// depends on the mask's key, on which dropout of the graph this is and on the
// element alone. Rate 0: x itself.
Value Dropout(Graph& graph, Value x, double rate, const std::string& name = "",
              DropoutMask mask = DropoutMask::kOfEachExample);

}  // namespace podsim

#endif  // PODSIM_MODELS_COMPOSITES_DROPOUT_H_
