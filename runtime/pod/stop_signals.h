// Signals as something to poll for: the user's wish to stop, and the end of a
// child. Blocks them for this process from construction to destruction.
#ifndef PODSIM_RUNTIME_POD_STOP_SIGNALS_H_
#define PODSIM_RUNTIME_POD_STOP_SIGNALS_H_

#include <csignal>

#include "absl/status/statusor.h"
#include "base/unique_fd.h"

namespace podsim {

class StopSignals {
 public:
  // SIGINT, SIGTERM, SIGUSR1 (the warning that Slurm gives before its time
  // limit), SIGHUP, SIGQUIT, and SIGPIPE (nobody reads our output any more)
  // mean stop; SIGCHLD means that a child has ended. REQUIRES: this process has
  // one thread.
  static absl::StatusOr<StopSignals> Block();
  StopSignals(StopSignals&& other) noexcept;
  StopSignals& operator=(StopSignals&&) = delete;
  ~StopSignals();

  int stop_fd() const { return stop_.get(); }
  int child_fd() const { return child_.get(); }
  // The next signal to stop, or 0.
  int TakeStop() const;
  // Forgets the ends of children seen so far.
  void ClearChild() const;

 private:
  StopSignals(const sigset_t& before, UniqueFd stop, UniqueFd child);

  sigset_t before_;
  UniqueFd stop_;
  UniqueFd child_;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_POD_STOP_SIGNALS_H_
