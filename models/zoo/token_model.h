// What models of sequences of tokens have in common. Letters: B examples, T
// tokens of each, W width.
#ifndef PODSIM_MODELS_ZOO_TOKEN_MODEL_H_
#define PODSIM_MODELS_ZOO_TOKEN_MODEL_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "models/graph/compile.h"
#include "models/graph/graph.h"
#include "models/layers/dense.h"
#include "proto/job.pb.h"

namespace podsim {

// For a model whose sizes are numbers: no hidden widths, no batch norm.
absl::Status CheckTokenModel(const ModelConfig& config);

// Of values [B, T] and their weights [B, T], or all alike, the mean: [B].
Value MeanOverTokens(Graph& graph, Value values, Value weights,
                     const std::string& name);

// A metric that is shown as a percentage, of numbers 0 and 1.
MetricInput PercentOf(const std::string& name, Value value);

// x [B, T, W] -> [B, T, W] by way of `hidden` units of each token: "<name>/in"
// with `how`, of which the part `dropout` is dropped, and "<name>/out" without
// an activation.
Value FeedForward(Graph& graph, const std::string& name, Value x,
                  std::int64_t hidden, const KernelHow& how,
                  double dropout = 0);

}  // namespace podsim

#endif  // PODSIM_MODELS_ZOO_TOKEN_MODEL_H_
