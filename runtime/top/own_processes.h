// A PID namespace for a command, with a /proc that has its processes alone.
// tpu-info reads all of /proc/*/fd, and ends at the first process that it may
// not look into: as root, too, one of another container.
#ifndef PODSIM_RUNTIME_TOP_OWN_PROCESSES_H_
#define PODSIM_RUNTIME_TOP_OWN_PROCESSES_H_

#include <sys/types.h>

namespace podsim {

// The exit code of a command that cannot be run, as a shell has it.
inline constexpr int kCannotRun = 126;

// What a process ended with, 128 + N by signal N. `status` is waitpid's.
int ExitCodeOf(int status);

// SIGKILL for this process once the thread of `parent` that forked it has
// ended. For a child, as its first call.
void EndWithParent(pid_t parent);

// Returns in the process that is to run the command: process 2 of a new PID
// namespace, or, where the system refuses the namespace or its /proc, the
// calling process as it was. Otherwise the calling process and process 1 stay
// behind, close what they inherited but standard input, output and error, and
// end as the command does; all go if the calling process is killed. What the
// command leaves running ends with it.
// REQUIRES: a single thread; a private mount namespace of its own; SIGINT and
//   SIGQUIT are ignored, for the two that stay behind.
void EnterOwnProcesses();

}  // namespace podsim

#endif  // PODSIM_RUNTIME_TOP_OWN_PROCESSES_H_
