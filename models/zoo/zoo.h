// Named models: from a name and a few numbers to a model; and from any model to
// a compiled Program.
#ifndef PODSIM_MODELS_ZOO_ZOO_H_
#define PODSIM_MODELS_ZOO_ZOO_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "models/graph/compile.h"
#include "models/graph/program.h"
#include "models/graph/serialize_model.h"
#include "proto/job.pb.h"

namespace podsim {

std::vector<std::string> ModelNames();

// The model `config.name` ("mlp") for its example shape and classes. No hidden
// widths: no hidden layer (defaults are the recipe's business).
// Pure: equal inputs give equal models.
// Errors: INVALID_ARGUMENT (unknown name, naming the known ones; a width or
//   class count that is not positive).
absl::StatusOr<ModelProto> BuildModel(const ModelConfig& config);

// Any model's Program, with the update that `options` name. Pure.
// Errors: those of FromProto and Compile.
absl::StatusOr<Program> CompileModel(const ModelProto& model,
                                     const CompileOptions& options);

// What a job's plan compiles with: its precision, update and buckets.
CompileOptions OptionsOf(const PlanBits& bits);

// Both. Errors: as above.
absl::StatusOr<Program> BuildProgram(const ModelConfig& config,
                                     const CompileOptions& options);

}  // namespace podsim

#endif  // PODSIM_MODELS_ZOO_ZOO_H_
