// signalfd; see stop_signals.h.
#include "runtime/pod/stop_signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/status/status.h"

namespace podsim {
namespace {

int Take(int fd) {
  signalfd_siginfo info;
  const ssize_t count = read(fd, &info, sizeof(info));
  return count == sizeof(info) ? static_cast<int>(info.ssi_signo) : 0;
}

bool IgnoredNow(int signal) {
  struct sigaction action = {};
  sigaction(signal, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

}  // namespace

absl::StatusOr<StopSignals> StopSignals::Block() {
  sigset_t stop;
  sigset_t child;
  sigset_t before;
  sigemptyset(&stop);
  sigemptyset(&child);
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGQUIT, SIGPIPE}) {
    sigaddset(&stop, signal);
  }
  if (!IgnoredNow(SIGHUP)) sigaddset(&stop, SIGHUP);  // else: nohup
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &stop, &before);
  sigprocmask(SIG_BLOCK, &child, nullptr);
  UniqueFd stop_fd(signalfd(-1, &stop, SFD_NONBLOCK | SFD_CLOEXEC));
  UniqueFd child_fd(signalfd(-1, &child, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!stop_fd.valid() || !child_fd.valid()) {
    const absl::Status status =
        absl::ErrnoToStatus(errno, "cannot wait for signals");
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return status;
  }
  return StopSignals(before, std::move(stop_fd), std::move(child_fd));
}

StopSignals::StopSignals(const sigset_t& before, UniqueFd stop, UniqueFd child)
    : before_(before), stop_(std::move(stop)), child_(std::move(child)) {}

StopSignals::StopSignals(StopSignals&& other) noexcept
    : before_(other.before_),
      stop_(std::move(other.stop_)),
      child_(std::move(other.child_)) {}

StopSignals::~StopSignals() {
  if (!stop_.valid()) return;  // moved from
  // Signals that already made us stop must not do so again when unblocked.
  while (TakeStop() != 0) {
  }
  ClearChild();
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

int StopSignals::TakeStop() const { return Take(stop_.get()); }

void StopSignals::ClearChild() const {
  while (Take(child_.get()) != 0) {
  }
}

}  // namespace podsim
