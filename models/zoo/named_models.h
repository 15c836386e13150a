// The models that have a name, a file each. Each appends its forward pass to an
// empty graph and says what of it is wanted, without an update. Errors:
// INVALID_ARGUMENT (a number of the configuration that it cannot be built
// with); further ones are latched in the graph.
//
// Families of sizes say their inputs too; none: "features" and "labels", of the
// data set's shape and classes. Errors: as above, of its own numbers alone.
#ifndef PODSIM_MODELS_ZOO_NAMED_MODELS_H_
#define PODSIM_MODELS_ZOO_NAMED_MODELS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "models/graph/compile.h"
#include "models/graph/graph.h"
#include "models/zoo/model_inputs.h"
#include "proto/job.pb.h"

namespace podsim {

absl::StatusOr<CompileInput> BuildMlp(const ModelConfig& config, Graph& graph);
absl::StatusOr<CompileInput> BuildLogisticRegression(const ModelConfig& config,
                                                     Graph& graph);
absl::StatusOr<CompileInput> BuildLenet5(const ModelConfig& config,
                                         Graph& graph);
absl::StatusOr<CompileInput> BuildLenet5BatchNorm(const ModelConfig& config,
                                                  Graph& graph);
absl::StatusOr<CompileInput> BuildEncoder(const ModelConfig& config,
                                          Graph& graph);

absl::StatusOr<CompileInput> BuildResnet(const ModelConfig& config,
                                         Graph& graph);
absl::StatusOr<std::vector<ModelInput>> ResnetInputs(const ModelConfig& config);
absl::StatusOr<CompileInput> BuildBert(const ModelConfig& config, Graph& graph);
absl::StatusOr<std::vector<ModelInput>> BertInputs(const ModelConfig& config);
absl::StatusOr<CompileInput> BuildTransformer(const ModelConfig& config,
                                              Graph& graph);
absl::StatusOr<std::vector<ModelInput>> TransformerInputs(
    const ModelConfig& config);
absl::StatusOr<CompileInput> BuildGpt2(const ModelConfig& config, Graph& graph);
absl::StatusOr<std::vector<ModelInput>> Gpt2Inputs(const ModelConfig& config);

}  // namespace podsim

#endif  // PODSIM_MODELS_ZOO_NAMED_MODELS_H_
