// Whether the instructions of a Program's message can run: each reads what was
// written before and still lies there, and writes where it may.
#ifndef PODSIM_MODELS_GRAPH_VERIFY_RUN_H_
#define PODSIM_MODELS_GRAPH_VERIFY_RUN_H_

#include <cstdint>

#include "absl/status/status.h"
#include "models/graph/wire_types.h"
#include "proto/model.pb.h"

namespace podsim {

// Places of 4 bytes: of each example, of each core or in all.
std::int64_t PlacesOf(const ProgramProto::Tensor& tensor);

// REQUIRES: tensors, variables, buckets, inputs and metrics are checked;
// `constants` has read the message. Errors: INVALID_ARGUMENT: "train segment 2,
// instruction 5 (MatMul): ...".
absl::Status VerifyRuns(const ModelProto& model, ConstantReader& constants);

}  // namespace podsim

#endif  // PODSIM_MODELS_GRAPH_VERIFY_RUN_H_
