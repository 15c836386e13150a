// Signals that end a program, answered at every moment: by whoever can make
// something of them, else as if nothing had been done about them.
//
//   SignalWatch watch({SIGTERM});          // early in main
//   ...                                    // SIGTERM ends the program
//   watch.Handle([&](int) { return SaveAndEnd(); });
//   ...                                    // it saves first
//   watch.Handle({});                      // what the handler uses goes
#ifndef PODSIM_BASE_SIGNAL_WATCH_H_
#define PODSIM_BASE_SIGNAL_WATCH_H_

#include <csignal>
#include <functional>
#include <initializer_list>
#include <stop_token>
#include <thread>

#include "base/mutex.h"

namespace podsim {

class SignalWatch {
 public:
  // Called from the watch's thread, with the signal. False: it shall end the
  // program.
  using Handler = std::function<bool(int signal)>;

  // Blocks `signals` in this thread, and with it in those that it starts later.
  // REQUIRES: this process has one thread.
  SignalWatch(std::initializer_list<int> signals);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  // From here on signals go to `handler`; empty: they end the program, as at
  // first. When this returns, the handler before is not running and will not be
  // called again. Not to be called by a handler. Thread-safe.
  void Handle(Handler handler);

 private:
  void Watch(const std::stop_token& stop);
  [[noreturn]] void DieOf(int signal) const;

  sigset_t set_;
  Mutex mutex_;
  Handler handler_ PODSIM_GUARDED_BY(mutex_);
  std::jthread thread_;  // last: starts when all else stands
};

}  // namespace podsim

#endif  // PODSIM_BASE_SIGNAL_WATCH_H_
