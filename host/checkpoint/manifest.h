// CheckpointManifest as JSON and back, and what must hold of one. Pure.
#ifndef PODSIM_HOST_CHECKPOINT_MANIFEST_H_
#define PODSIM_HOST_CHECKPOINT_MANIFEST_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proto/checkpoint.pb.h"

namespace podsim {

// Raised when an older podsim would misread a checkpoint.
inline constexpr int kCheckpointFormat = 1;

// Files are numbered 1 to n, each with bytes, a hash and at least a tensor;
// tensors have distinct names and lie in one of the files; stints reach from
// the first example to examples_consumed without a gap.
// Errors: FAILED_PRECONDITION (another format, naming both), INVALID_ARGUMENT.
absl::Status CheckManifest(const CheckpointManifest& manifest);

// Indented, fields named as in the .proto.
std::string ManifestJson(const CheckpointManifest& manifest);
// Errors: DATA_LOSS (no JSON, an unknown field, or CheckManifest's reason),
//   FAILED_PRECONDITION (another format).
absl::StatusOr<CheckpointManifest> ParseManifest(std::string_view json);

}  // namespace podsim

#endif  // PODSIM_HOST_CHECKPOINT_MANIFEST_H_
