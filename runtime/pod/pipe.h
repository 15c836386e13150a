// Pipes between the launcher and its processes.
#ifndef PODSIM_RUNTIME_POD_PIPE_H_
#define PODSIM_RUNTIME_POD_PIPE_H_

#include <string>

#include "absl/status/statusor.h"
#include "base/unique_fd.h"

namespace podsim {

struct Pipe {
  UniqueFd read_end;
  UniqueFd write_end;
};
// Both ends close on exec; the read end does not block.
absl::StatusOr<Pipe> MakePipe();

// What is there to read, if anything. Closes `fd` at its end.
// REQUIRES: it does not block, or is closed already.
std::string ReadAvailable(UniqueFd& fd);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_POD_PIPE_H_
