// Threads that begin while one is alive take no signals: those of the process
// are for whoever waits for them.
#ifndef PODSIM_BASE_SIGNALS_BLOCKED_H_
#define PODSIM_BASE_SIGNALS_BLOCKED_H_

#include <csignal>

namespace podsim {

class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace podsim

#endif  // PODSIM_BASE_SIGNALS_BLOCKED_H_
