// Batch normalization, as ops: StableHLO's batch_norm_training and
// batch_norm_inference.
#ifndef PODSIM_MODELS_COMPOSITES_BATCH_NORM_H_
#define PODSIM_MODELS_COMPOSITES_BATCH_NORM_H_

#include <cstdint>
#include <string>

#include "models/graph/graph.h"

namespace podsim {

struct BatchNormValues {
  Value y;
  // Over all dimensions but the last, B among them.
  Value mean;
  Value variance;  // the mean of squares of x - mean
};

// (x - mean) / sqrt(variance + epsilon) per feature, x's last dimension, times
// scale plus bias, with the statistics of the rows at hand [Ioffe and Szegedy,
// Batch normalization, 2015]: those of `group` neighbouring cores, 0: of all.
//
// Statistics, scale and bias are float32, whatever x is; y is of x's type. Of a
// bfloat16 x the variance is OnePassVariance (variance.h).
BatchNormValues BatchNormTraining(Graph& graph, Value x, Value scale,
                                  Value bias, double epsilon,
                                  const std::string& name = "",
                                  std::int64_t group = 1);

// With statistics that are given: [features] each.
Value BatchNormInference(Graph& graph, Value x, Value scale, Value bias,
                         Value mean, Value variance, double epsilon,
                         const std::string& name = "");

}  // namespace podsim

#endif  // PODSIM_MODELS_COMPOSITES_BATCH_NORM_H_
