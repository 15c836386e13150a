// One tensor file of a committed checkpoint, read piece by piece and believed
// only when it is what the manifest says.
#ifndef PODSIM_HOST_CHECKPOINT_PART_FILE_H_
#define PODSIM_HOST_CHECKPOINT_PART_FILE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "host/storage/storage.h"
#include "proto/checkpoint.pb.h"

namespace podsim {

// A tensor as the manifest has it, and a piece of its bytes (float32,
// row-major, little-endian) that begins `offset` bytes into it; lent for the
// call. Pieces are whole elements, come in order and cover the tensor; an empty
// tensor has one.
using TensorVisitor =
    std::function<void(const CheckpointTensor& tensor, std::int64_t offset,
                       std::string_view bytes)>;

// Reads `file` of the checkpoint at `path` and shows every tensor in it, if
// `visit` is not empty. Nothing is shown of a file whose length, header or
// tensors differ from the manifest; its SHA-256 is known at the end, so what
// was shown counts only if OK is returned. Holds a piece of some MiB in memory,
// and the header.
// Errors: DATA_LOSS (naming the file and the difference); the store's, but for
//   a file that is not there.
absl::Status ReadPart(ObjectStore& store, const std::string& path,
                      const CheckpointManifest& manifest,
                      const CheckpointFile& file, const TensorVisitor& visit);

}  // namespace podsim

#endif  // PODSIM_HOST_CHECKPOINT_PART_FILE_H_
