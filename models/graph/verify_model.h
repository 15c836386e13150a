// Whether a message is a model, or a Program, that everything else may believe:
// asked before anything is made of it.
#ifndef PODSIM_MODELS_GRAPH_VERIFY_MODEL_H_
#define PODSIM_MODELS_GRAPH_VERIFY_MODEL_H_

#include "absl/status/status.h"
#include "models/graph/wire_types.h"
#include "proto/model.pb.h"

namespace podsim {

// Version and stage; that each id is one that was made before; names; that each
// op is known and its operands, results and numbers fit; that a loss and
// metrics are [B] float32, and no value is too large to count. Of a Program
// what verify_program.h says.
// Errors: INVALID_ARGUMENT, one line that names the place: "node 12 (add):
// ...".
absl::Status VerifyModel(const ModelProto& model);
// `constants` has what the model's attributes refer to afterwards.
absl::Status VerifyModel(const ModelProto& model, ConstantReader& constants);

}  // namespace podsim

#endif  // PODSIM_MODELS_GRAPH_VERIFY_MODEL_H_
