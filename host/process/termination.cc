#include "host/process/termination.h"

#include <pthread.h>
#include <signal.h>

#include <ctime>
#include <stop_token>
#include <utility>

namespace podsim {
namespace {

sigset_t TerminationSet() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  return set;
}

// As if the signal had not been blocked.
void DieOfIt() {
  const sigset_t set = TerminationSet();
  signal(SIGTERM, SIG_DFL);
  raise(SIGTERM);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void Watch(const std::stop_token& stop, const std::function<bool()>& notice) {
  const sigset_t set = TerminationSet();
  const timespec slice = {.tv_sec = 0, .tv_nsec = 100'000'000};
  bool noticed = false;
  while (!stop.stop_requested()) {
    if (sigtimedwait(&set, nullptr, &slice) != SIGTERM) continue;
    if (std::exchange(noticed, true) || !notice()) DieOfIt();
  }
}

}  // namespace

void BlockTermination() {
  const sigset_t set = TerminationSet();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

Termination::Termination(std::function<bool()> on_notice)
    : watcher_([notice = std::move(on_notice)](const std::stop_token& stop) {
        Watch(stop, notice);
      }) {}

Termination::~Termination() {
  watcher_.request_stop();
  watcher_.join();
}

}  // namespace podsim
