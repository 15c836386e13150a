#include "base/stop_wait.h"

#include "base/mutex.h"

namespace podsim {

bool WaitUnlessStopped(const std::stop_token& stop,
                       std::chrono::nanoseconds time) {
  const auto until = CondVar::WaitClock::now() + time;
  Mutex mutex;
  CondVar stopped;
  const std::stop_callback wake(stop, [&] {
    MutexLock lock(mutex);  // not between a look at `stop` and the wait
    stopped.NotifyAll();
  });
  MutexLock lock(mutex);
  while (!stop.stop_requested()) {
    const auto left = until - CondVar::WaitClock::now();
    if (left <= left.zero()) return true;
    stopped.WaitFor(mutex, left);
  }
  return false;
}

}  // namespace podsim
