#include "base/signal_watch.h"

#include <pthread.h>
#include <unistd.h>

#include <ctime>
#include <utility>

namespace podsim {

SignalWatch::SignalWatch(std::initializer_list<int> signals) {
  sigemptyset(&set_);
  for (const int signal : signals) sigaddset(&set_, signal);
  pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  thread_ = std::jthread([this](const std::stop_token& stop) { Watch(stop); });
}

SignalWatch::~SignalWatch() {
  thread_.request_stop();
  thread_.join();
}

void SignalWatch::Handle(Handler handler) {
  MutexLock lock(mutex_);
  handler_ = std::move(handler);
}

void SignalWatch::Watch(const std::stop_token& stop) {
  const timespec slice = {.tv_sec = 0, .tv_nsec = 100'000'000};
  while (!stop.stop_requested()) {
    const int signal = sigtimedwait(&set_, nullptr, &slice);
    if (signal <= 0) continue;
    MutexLock lock(mutex_);
    if (!handler_ || !handler_(signal)) DieOf(signal);
  }
}

// As if the signal had not been blocked, and had not been ignored by whoever
// started us.
void SignalWatch::DieOf(int signal) const {
  std::signal(signal, SIG_DFL);
  raise(signal);
  pthread_sigmask(SIG_UNBLOCK, &set_, nullptr);
  _exit(128 + signal);  // not reached
}

}  // namespace podsim
