// Softmax, as ops.
#ifndef PODSIM_MODELS_COMPOSITES_SOFTMAX_H_
#define PODSIM_MODELS_COMPOSITES_SOFTMAX_H_

#include <string>

#include "models/graph/graph.h"

namespace podsim {

// exp(x) / sum of exp(x) over dimension `axis`; negative ones count from the
// last. The largest x is subtracted first, so that nothing overflows. Computed
// in float32; the result is of x's type.
Value Softmax(Graph& graph, Value x, int axis, const std::string& name = "");

}  // namespace podsim

#endif  // PODSIM_MODELS_COMPOSITES_SOFTMAX_H_
