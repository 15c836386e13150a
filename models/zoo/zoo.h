// Named models: from a name and a few numbers to a compiled Program.
#ifndef PODSIM_MODELS_ZOO_ZOO_H_
#define PODSIM_MODELS_ZOO_ZOO_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "models/graph/compile.h"
#include "models/graph/program.h"
#include "proto/job.pb.h"

namespace podsim {

std::vector<std::string> ModelNames();

// Appends the forward pass of `config.name` to an empty graph, and says what of
// it is wanted, without an update. Errors as below; further ones are latched in
// the graph.
absl::StatusOr<CompileInput> BuildModel(const ModelConfig& config,
                                        Graph& graph);

// Builds and compiles `config.name` ("mlp") for its example shape and classes.
// No hidden widths: no hidden layer (defaults are the recipe's business).
// Pure: equal inputs give equal programs.
// Errors: INVALID_ARGUMENT (unknown name, naming the known ones; a width or
//   class count that is not positive; bad options).
absl::StatusOr<Program> BuildProgram(const ModelConfig& config,
                                     const CompileOptions& options);

// The one that a job's plan means: its model, precision, update and buckets.
// Errors: as above.
absl::StatusOr<Program> BuildProgram(const PlanBits& bits);

}  // namespace podsim

#endif  // PODSIM_MODELS_ZOO_ZOO_H_
