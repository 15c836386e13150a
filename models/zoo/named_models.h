// The models that have a name, a file each. Each appends its forward pass to an
// empty graph and says what of it is wanted, without an update. Errors:
// INVALID_ARGUMENT (a number of the configuration that it cannot be built
// with); further ones are latched in the graph.
#ifndef PODSIM_MODELS_ZOO_NAMED_MODELS_H_
#define PODSIM_MODELS_ZOO_NAMED_MODELS_H_

#include "absl/status/statusor.h"
#include "models/graph/compile.h"
#include "models/graph/graph.h"
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

}  // namespace podsim

#endif  // PODSIM_MODELS_ZOO_NAMED_MODELS_H_
