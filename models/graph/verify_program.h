// Whether a message of the stage PROGRAM may be run: what the executor and
// chip/ believe of one.
#ifndef PODSIM_MODELS_GRAPH_VERIFY_PROGRAM_H_
#define PODSIM_MODELS_GRAPH_VERIFY_PROGRAM_H_

#include "absl/status/status.h"
#include "models/graph/wire_types.h"
#include "proto/model.pb.h"

namespace podsim {

// REQUIRES: the message has a program; `constants` has read it. Errors:
// INVALID_ARGUMENT, one line that names the place.
absl::Status VerifyProgram(const ModelProto& model, ConstantReader& constants);

}  // namespace podsim

#endif  // PODSIM_MODELS_GRAPH_VERIFY_PROGRAM_H_
