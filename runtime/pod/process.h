// One child process: its start and its end. The launcher forks while it has a
// single thread, so that the child may do as it likes before exec.
//
// A child is killed by the kernel when the launcher dies, however that happens;
// it has a process group of its own, so that Ctrl-C reaches the launcher alone.
#ifndef PODSIM_RUNTIME_POD_PROCESS_H_
#define PODSIM_RUNTIME_POD_PROCESS_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/unique_fd.h"

namespace podsim {

struct ProcessSpec {
  std::string name;               // "host2", "coordinator": for people
  std::vector<std::string> argv;  // argv[0] is the program's path
  // Set on top of the launcher's own environment.
  std::vector<std::pair<std::string, std::string>> environment;
  // Of the launcher's environment what the child must not see.
  std::vector<std::string> hidden_environment;
  // Descriptors that stay open in the child, under the same numbers.
  std::vector<int> inherited_fds;
};

// How a process ended: by a signal (> 0) or with an exit code.
struct ProcessEnd {
  int signal = 0;
  int exit_code = 0;
  // Somebody else took the news: how it ended is not known.
  bool unknown = false;
  bool clean() const { return signal == 0 && exit_code == 0; }
};

// "was killed by signal 9 (SIGKILL)", "exited with code 3".
std::string DescribeEnd(const ProcessEnd& end);

class Process {
 public:
  // Errors: RESOURCE_EXHAUSTED and others of fork and pipe. A program that
  // cannot be run shows as exit code 127, with the reason in its output.
  // REQUIRES: this process has one thread.
  static absl::StatusOr<Process> Start(const ProcessSpec& spec);

  pid_t pid() const { return pid_; }
  // Standard output and error; does not block.
  int output_fd() const { return output_.get(); }  // -1 once closed
  UniqueFd& output() { return output_; }

  // Collects the end, if it has come. Returns true once, when it has.
  bool Reap();
  const std::optional<ProcessEnd>& end() const { return end_; }
  // No effect on a process that has ended (its id may belong to another).
  void Signal(int signal) const;
  // Held by SIGSTOP or a debugger: no signal but SIGKILL gets through.
  bool IsStopped() const;

 private:
  Process(pid_t pid, UniqueFd output) : pid_(pid), output_(std::move(output)) {}

  pid_t pid_;
  UniqueFd output_;
  std::optional<ProcessEnd> end_;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_POD_PROCESS_H_
