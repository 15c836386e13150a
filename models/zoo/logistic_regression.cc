// Softmax regression: one dense layer, "dense_0", from all features to the
// logits.
#include "base/status.h"
#include "models/layers/dense.h"
#include "models/zoo/classifier.h"
#include "models/zoo/named_models.h"

namespace podsim {

absl::StatusOr<CompileInput> BuildLogisticRegression(const ModelConfig& config,
                                                     Graph& graph) {
  PODSIM_ASSIGN_OR_RETURN(const Shape example, ExampleShape(config));
  PODSIM_RETURN_IF_ERROR(CheckMostHidden(config, 0));
  PODSIM_RETURN_IF_ERROR(CheckNoDropout(config));
  PODSIM_RETURN_IF_ERROR(CheckNoBatchNorm(config));
  const Value x = Flatten(graph, graph.Features(example));
  return Classifier(
      graph, Dense(graph, "dense_0", x, config.classes(), Activation::kNone));
}

}  // namespace podsim
