// A file where pod_ckpt takes a folder: manifest.json, or a part of a
// checkpoint.
#ifndef PODSIM_RUNTIME_CKPT_GIVEN_FILE_H_
#define PODSIM_RUNTIME_CKPT_GIVEN_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "host/storage/storage.h"
#include "proto/programs.pb.h"

namespace podsim {

// "runs/a/20" of "runs/a/20/manifest.json", and of "runs/a/20/1785/...", as
// stores of objects have it; empty: no folder on the way is called as a step.
// Pure.
std::string CheckpointOf(const std::string& file);

// Of paths that could not be read. INVALID_ARGUMENT: the first that is a file,
// and the command with the folder that it is of. OK: none is one.
absl::Status CheckAreFolders(ObjectStore& store, const CkptSettings& settings);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_CKPT_GIVEN_FILE_H_
