// Models as files: proto/model.proto, in binary form.
#ifndef PODSIM_RUNTIME_FILES_MODEL_FILE_H_
#define PODSIM_RUNTIME_FILES_MODEL_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proto/model.pb.h"

namespace podsim {

// A model or a Program, all of it checked; a plain path or a URI.
// Errors: INVALID_ARGUMENT, one line: "model file PATH: ..." (those of
//   ParseModel); those of the store.
absl::StatusOr<ModelProto> ReadModelFile(const std::string& path);

// In place of a file that is there. Errors: those of the store;
//   INVALID_ARGUMENT (more than ReadModelFile reads, kMostModelBytes: nothing
//   is written).
absl::Status WriteModelFile(const std::string& path, const ModelProto& model);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FILES_MODEL_FILE_H_
