// One tensor file of a committed checkpoint, read whole and believed only when
// it is what the manifest says.
#ifndef PODSIM_HOST_CHECKPOINT_PART_FILE_H_
#define PODSIM_HOST_CHECKPOINT_PART_FILE_H_

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "host/storage/storage.h"
#include "proto/checkpoint.pb.h"

namespace podsim {

// A tensor as the manifest has it, and its bytes: float32, row-major,
// little-endian, as many as the shape says; lent for the call.
using TensorVisitor =
    std::function<void(const CheckpointTensor& tensor, std::string_view bytes)>;

// Reads `file` of the checkpoint at `path` and shows every tensor in it.
// Nothing is shown of a file whose length, SHA-256, header or tensors differ
// from the manifest. Holds the whole file in memory: one host's share.
// Errors: DATA_LOSS (naming the file and the difference); the store's, but for
//   a file that is not there.
absl::Status ReadPart(ObjectStore& store, const std::string& path,
                      const CheckpointManifest& manifest,
                      const CheckpointFile& file, const TensorVisitor& visit);

}  // namespace podsim

#endif  // PODSIM_HOST_CHECKPOINT_PART_FILE_H_
