#include "runtime/top/own_processes.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

#include "base/unique_fd.h"

namespace podsim {
namespace {

// Process 1 is the parent of all orphans of its namespace: it reaps them, too.
[[noreturn]] void EndAs(pid_t child) {
  close_range(STDERR_FILENO + 1, ~0U, 0);
  int status = 0;
  for (;;) {
    const pid_t ended = waitpid(-1, &status, 0);
    if (ended == child) _exit(ExitCodeOf(status));
    if (ended < 0 && errno != EINTR) _exit(kCannotRun);
  }
}

// Process 1 of the namespace; returns in process 2, which it forks. A process
// 1 would ignore the signals that it does not handle, so the command is not.
void BeFirst(UniqueFd waits, const UniqueFd& ready) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  waits.Reset();
  if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC,
            nullptr) != 0)
    _exit(kCannotRun);
  // Nobody reads: the parent was killed before prctl took effect. SIGPIPE does
  // nothing to a process 1.
  if (write(ready.get(), "", 1) != 1) _exit(kCannotRun);
  const pid_t command = fork();
  if (command < 0) _exit(kCannotRun);
  if (command != 0) EndAs(command);
}

}  // namespace

int ExitCodeOf(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void EndWithParent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // It may have ended before this took effect.
  if (getppid() != parent) _exit(kCannotRun);
}

void EnterOwnProcesses() {
  const UniqueFd before(open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC));
  int ends[2];
  if (!before.valid() || pipe2(ends, O_CLOEXEC) != 0) return;
  UniqueFd waits(ends[0]);
  UniqueFd ready(ends[1]);
  // For children; this process stays where it is.
  if (unshare(CLONE_NEWPID) != 0) return;
  const pid_t first = fork();
  if (first == 0) return BeFirst(std::move(waits), ready);
  ready.Reset();
  char byte = 0;
  if (first > 0 && read(waits.get(), &byte, 1) == 1) EndAs(first);
  // No /proc, no namespace: its numbers would not be those of the /proc there.
  if (first > 0) waitpid(first, nullptr, 0);
  if (setns(before.get(), CLONE_NEWPID) == 0) return;
  constexpr char kSaid[] = "pod_top: cannot leave a PID namespace again\n";
  if (write(STDERR_FILENO, kSaid, sizeof(kSaid) - 1) < 0) _exit(kCannotRun);
  _exit(kCannotRun);
}

}  // namespace podsim
