// Writing the tensors of a checkpoint: which of them a host has, as a file in
// memory, and that file on a store.
//
//   auto image = EncodePart(program, variables, host, hosts, step);  // a copy
//   if (image)
//     WritePart(store, PartsPath(store, model_dir, step, stamp), *image);
#ifndef PODSIM_HOST_CHECKPOINT_SAVE_H_
#define PODSIM_HOST_CHECKPOINT_SAVE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "host/storage/storage.h"
#include "models/graph/program.h"
#include "proto/checkpoint.pb.h"

namespace podsim {

// A safetensors file in memory.
struct PartImage {
  std::string name;  // "model-00001-of-00004.safetensors"
  std::string bytes;
};

// What `host` of `hosts` writes; nothing if no tensor falls to it. `variables`
// are laid out as the program says. A pure copy, at the speed of memory.
// REQUIRES: 0 <= host < hosts.
std::optional<PartImage> EncodePart(const Program& program,
                                    std::span<const float> variables, int host,
                                    int hosts, std::int64_t step);

// The first tensor of a part with a value that is no number: nan or infinite.
// Nothing: all are finite. REQUIRES: EncodePart made it.
std::optional<std::string> NotFinite(const PartImage& image);

// Blocks until the disk has it. Gives name, bytes and SHA-256.
// Errors: those of ObjectStore::Write.
absl::StatusOr<CheckpointFile> WritePart(ObjectStore& store,
                                         const std::string& directory,
                                         const PartImage& image);

// For the manifest: every variable and the file that it lies in.
std::vector<CheckpointTensor> TensorsOf(const Program& program, int hosts);

}  // namespace podsim

#endif  // PODSIM_HOST_CHECKPOINT_SAVE_H_
