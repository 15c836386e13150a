// Layer normalization, as ops.
#ifndef PODSIM_MODELS_COMPOSITES_LAYER_NORM_H_
#define PODSIM_MODELS_COMPOSITES_LAYER_NORM_H_

#include <string>

#include "models/graph/graph.h"

namespace podsim {

// (x - mean) / sqrt(variance + epsilon) over the last dimension, times scale
// plus bias, both of that dimension's size [Ba et al., Layer normalization,
// 2016]. The variance is the mean of squares of x - mean. Statistics, scale and
// bias are float32, and the result of x's type; of a bfloat16 x the variance is
// OnePassVariance (variance.h).
Value LayerNorm(Graph& graph, Value x, Value scale, Value bias, double epsilon,
                const std::string& name = "");

}  // namespace podsim

#endif  // PODSIM_MODELS_COMPOSITES_LAYER_NORM_H_
