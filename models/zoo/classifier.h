// What named models have in common: examples of a shape, and classes.
#ifndef PODSIM_MODELS_ZOO_CLASSIFIER_H_
#define PODSIM_MODELS_ZOO_CLASSIFIER_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "models/graph/compile.h"
#include "models/graph/graph.h"
#include "proto/job.pb.h"

namespace podsim {

absl::Status CheckPositive(const char* what, std::int64_t value);

// One example's, and the number of classes: both must be positive.
absl::StatusOr<Shape> ExampleShape(const ModelConfig& config);

// The hidden layers' widths, all positive; `otherwise` if there are none.
absl::StatusOr<std::vector<std::int64_t>> HiddenWidths(
    const ModelConfig& config, std::vector<std::int64_t> otherwise);

// For a model that has at most so many of them.
absl::Status CheckMostHidden(const ModelConfig& config, int most);
// For a model that drops nothing.
absl::Status CheckNoDropout(const ModelConfig& config);
// For a model without batch norm.
absl::Status CheckNoBatchNorm(const ModelConfig& config);

// Loss and accuracy of logits [B, classes] for the data set's labels.
CompileInput Classifier(Graph& graph, Value logits);

// What `pass` appends to the graph, once if dropout is 0; else once without it,
// for evaluations, and a second time with it.
CompileInput InPasses(Graph& graph, double dropout,
                      const std::function<CompileInput(double dropout)>& pass);

}  // namespace podsim

#endif  // PODSIM_MODELS_ZOO_CLASSIFIER_H_
