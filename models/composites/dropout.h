// Dropout, as ops.
#ifndef PODSIM_MODELS_COMPOSITES_DROPOUT_H_
#define PODSIM_MODELS_COMPOSITES_DROPOUT_H_

#include <string>

#include "models/graph/graph.h"

namespace podsim {

// x [B, ...] with each element 0 with probability `rate` and divided by
// 1 - rate otherwise [Srivastava et al., Dropout, 2014, section 10]. Which ones
// depends on the example's key, on which dropout of the graph this is and on
// the element alone. Rate 0: x itself.
Value Dropout(Graph& graph, Value x, double rate, const std::string& name = "");

}  // namespace podsim

#endif  // PODSIM_MODELS_COMPOSITES_DROPOUT_H_
