// A Program as a message, and back: what the planner compiled is what hosts
// run.
#ifndef PODSIM_MODELS_GRAPH_SERIALIZE_PROGRAM_H_
#define PODSIM_MODELS_GRAPH_SERIALIZE_PROGRAM_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "models/graph/program.h"
#include "proto/model.pb.h"

namespace podsim {

// Of the stage PROGRAM, to be written by ModelBytes. Equal Programs give equal
// messages.
ModelProto ToProto(const Program& program);

// Errors: those of VerifyModel; INVALID_ARGUMENT (a model, not a Program).
absl::StatusOr<Program> ProgramFrom(const ModelProto& model);

// From ModelBytes of it, all of it checked. Errors: those of ParseModel and
//   above.
absl::StatusOr<Program> ParseProgram(std::string_view bytes);

}  // namespace podsim

#endif  // PODSIM_MODELS_GRAPH_SERIALIZE_PROGRAM_H_
