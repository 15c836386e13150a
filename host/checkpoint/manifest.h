// CheckpointManifest as JSON and back, and what must hold of one. Pure.
#ifndef PODSIM_HOST_CHECKPOINT_MANIFEST_H_
#define PODSIM_HOST_CHECKPOINT_MANIFEST_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proto/checkpoint.pb.h"

namespace podsim {

// Raised when an older podsim would misread a checkpoint.
inline constexpr int kCheckpointFormat = 1;
// Of manifest.json and of SHA256SUMS, each: more is not read. A thousand
// tensors take a quarter of a MiB.
inline constexpr std::int64_t kMaxManifestBytes = std::int64_t{4} << 20;

// Files are numbered 1 to n, each with a hash, at least a tensor, and as many
// bytes as its tensors need; tensors have distinct names and lie in one of the
// files; stints reach from the first example to examples_consumed without a
// gap, each of as many examples as its steps have at its batch, the last at the
// batch of `bits`. What holds of one overflows nowhere.
// Errors: FAILED_PRECONDITION (another format, naming both), INVALID_ARGUMENT.
absl::Status CheckManifest(const CheckpointManifest& manifest);

// Indented, fields named as in the .proto.
std::string ManifestJson(const CheckpointManifest& manifest);
// Errors: DATA_LOSS (no JSON, an unknown field, or CheckManifest's reason),
//   FAILED_PRECONDITION (another format).
absl::StatusOr<CheckpointManifest> ParseManifest(std::string_view json);

}  // namespace podsim

#endif  // PODSIM_HOST_CHECKPOINT_MANIFEST_H_
