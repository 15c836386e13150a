// pod_ckpt's command line: ls, show, verify or diff, and directories. Pure.
#ifndef PODSIM_RUNTIME_CKPT_CKPT_FLAGS_H_
#define PODSIM_RUNTIME_CKPT_CKPT_FLAGS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "proto/programs.pb.h"

namespace podsim {

struct CkptFlags {
  CkptSettings settings;  // two paths for diff, one for the others
  std::string text;       // not empty: print it and stop
};

// `args` without the program's name.
// Errors: INVALID_ARGUMENT, one line.
absl::StatusOr<CkptFlags> ParseCkptFlags(const std::vector<std::string>& args);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_CKPT_CKPT_FLAGS_H_
