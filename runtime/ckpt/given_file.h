// A file where pod_ckpt takes a folder: manifest.json, or a part of a
// checkpoint.
#ifndef PODSIM_RUNTIME_CKPT_GIVEN_FILE_H_
#define PODSIM_RUNTIME_CKPT_GIVEN_FILE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "host/storage/storage.h"
#include "proto/programs.pb.h"

namespace podsim {

// The folders on the way to a file that are called as steps are, the innermost
// first, up to one that is not: "runs/a/20" of "runs/a/20/manifest.json",
// "runs/a/20/1785" and "runs/a/20" of a store of objects, "runs/1/20" and
// "runs/1" of a numbered run. Pure.
std::vector<std::string> StepFoldersOf(const std::string& file);

// Of paths that could not be read. INVALID_ARGUMENT: the first that is a file,
// and the command with the folder that it is of. OK: none is one.
absl::Status CheckAreFolders(ObjectStore& store, const CkptSettings& settings);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_CKPT_GIVEN_FILE_H_
