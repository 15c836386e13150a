// A mutex that clang's thread-safety analysis understands and ThreadSanitizer
// sees through (Debian's absl::Mutex is not instrumented, so it gives false
// reports).
//
//   Mutex mutex_;
//   int count_ PODSIM_GUARDED_BY(mutex_) = 0;
//   { MutexLock lock(mutex_); ++count_; }
//
// Every wait has a deadline: CondVar offers no wait without one.
#ifndef PODSIM_BASE_MUTEX_H_
#define PODSIM_BASE_MUTEX_H_

#include <chrono>
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define PODSIM_ATTRIBUTE(x) __attribute__((x))
#else
#define PODSIM_ATTRIBUTE(x)
#endif
#define PODSIM_CAPABILITY(x) PODSIM_ATTRIBUTE(capability(x))
#define PODSIM_SCOPED_CAPABILITY PODSIM_ATTRIBUTE(scoped_lockable)
#define PODSIM_GUARDED_BY(x) PODSIM_ATTRIBUTE(guarded_by(x))
#define PODSIM_REQUIRES(...) PODSIM_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define PODSIM_EXCLUDES(...) PODSIM_ATTRIBUTE(locks_excluded(__VA_ARGS__))
#define PODSIM_ACQUIRE(...) PODSIM_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define PODSIM_RELEASE(...) PODSIM_ATTRIBUTE(release_capability(__VA_ARGS__))
#define PODSIM_NO_THREAD_SAFETY_ANALYSIS \
  PODSIM_ATTRIBUTE(no_thread_safety_analysis)

namespace podsim {

class PODSIM_CAPABILITY("mutex") Mutex {
 public:
  void Lock() PODSIM_ACQUIRE() { mutex_.lock(); }
  void Unlock() PODSIM_RELEASE() { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

class PODSIM_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) PODSIM_ACQUIRE(mutex) : mutex_(mutex) {
    mutex_.Lock();
  }
  ~MutexLock() PODSIM_RELEASE() { mutex_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

class CondVar {
 public:
  // Whoever sets the wall clock sets no wait. ThreadSanitizer of GCC 12 does
  // not know pthread_cond_clockwait, which waits by the steady clock.
#if defined(__SANITIZE_THREAD__)
  using WaitClock = std::chrono::system_clock;
#else
  using WaitClock = std::chrono::steady_clock;
#endif

  void NotifyOne() { cv_.notify_one(); }
  void NotifyAll() { cv_.notify_all(); }

  // Waits until notified or `timeout` has passed; spurious wake-ups happen, so
  // call it in a loop that tests the condition. Returns false on timeout.
  bool WaitFor(Mutex& mutex, std::chrono::nanoseconds timeout)
      PODSIM_REQUIRES(mutex) PODSIM_NO_THREAD_SAFETY_ANALYSIS {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    const auto until = WaitClock::now() + timeout;
    const bool notified =
        cv_.wait_until(lock, until) == std::cv_status::no_timeout;
    lock.release();
    return notified;
  }

 private:
  std::condition_variable cv_;
};

}  // namespace podsim

#endif  // PODSIM_BASE_MUTEX_H_
