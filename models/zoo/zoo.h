// Named models: from a name and a few numbers to a model; and from any model to
// a compiled Program.
#ifndef PODSIM_MODELS_ZOO_ZOO_H_
#define PODSIM_MODELS_ZOO_ZOO_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "models/graph/compile.h"
#include "models/graph/program.h"
#include "models/graph/serialize_model.h"
#include "models/zoo/model_inputs.h"
#include "proto/job.pb.h"

namespace podsim {

// All, those for plans last.
std::vector<std::string> ModelNames();
// Those small enough for every test to train.
std::vector<std::string> TrainedModelNames();
// Whether it is a published model that comes in sizes: compiled and planned
// like any other, but a run of it takes a pod.
bool IsPlanned(std::string_view name);

// INVALID_ARGUMENT: names those that are like `name`, and all.
absl::Status UnknownModel(const std::string& name);

// What the model `config.name` with its numbers reads; empty: "features" of
// config.example_shape and "labels", or what the data set offers in its place.
// Errors: INVALID_ARGUMENT (unknown name or number, naming the known ones; a
//   number beyond its bounds).
absl::StatusOr<std::vector<ModelInput>> InputsOf(const ModelConfig& config);

// The model `config.name` ("mlp") for its example shape and classes. No hidden
// widths: no hidden layer (defaults are the recipe's business).
// Pure: equal inputs give equal models.
// Errors: INVALID_ARGUMENT (unknown name or number, naming the known ones; a
//   width or class count that is not positive).
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
