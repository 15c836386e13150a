#include "models/zoo/mlp.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "models/layers/dense.h"
#include "models/zoo/classifier.h"
#include "models/zoo/named_models.h"

namespace podsim {

Value Mlp(Graph& graph, Value x, std::span<const std::int64_t> hidden,
          std::int64_t classes) {
  Value value = Flatten(graph, x);
  int layer = 0;
  for (const std::int64_t width : hidden)
    value = Dense(graph, absl::StrCat("dense_", layer++), value, width,
                  Activation::kRelu);
  return Dense(graph, absl::StrCat("dense_", layer), value, classes,
               Activation::kNone);
}

absl::StatusOr<CompileInput> BuildMlp(const ModelConfig& config, Graph& graph) {
  PODSIM_ASSIGN_OR_RETURN(const Shape example, ExampleShape(config));
  PODSIM_RETURN_IF_ERROR(CheckNoDropout(config));
  PODSIM_RETURN_IF_ERROR(CheckNoBatchNorm(config));
  PODSIM_ASSIGN_OR_RETURN(const std::vector<std::int64_t> hidden,
                          HiddenWidths(config, {}));
  return Classifier(
      graph, Mlp(graph, graph.Features(example), hidden, config.classes()));
}

}  // namespace podsim
