// One step of a model on one core with the numbers of a file.
#ifndef PODSIM_RUNTIME_PROGRAM_RUN_MODEL_H_
#define PODSIM_RUNTIME_PROGRAM_RUN_MODEL_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "proto/model.pb.h"

namespace podsim {

// `file`: a safetensors file with every variable of the model as
// "variable/<name>" and every input as "input/<name>". What comes back is one
// too: "loss" and metrics per example as "metric/<name>" and
// "evaluation/<name>", and "gradient/<variable>". Errors: INVALID_ARGUMENT (a
// Program instead of a model; a variable or an
//   input that is missing or of another type or size), DATA_LOSS (no
//   safetensors), UNIMPLEMENTED (a pass that waits for other cores).
absl::StatusOr<std::string> RunModel(const ModelProto& model,
                                     bool bfloat16_products,
                                     std::string_view file);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PROGRAM_RUN_MODEL_H_
