// Waits for a moment of the shifted clock look at it again every so often, as
// the kernel does at once when a clock is set.
#include "tests/testing/set_back_clock.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <ctime>

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kSlice = 20'000'000;

using Shift = std::atomic<std::int64_t>;  // nanoseconds
static_assert(sizeof(Shift) == sizeof(std::int64_t));

Shift* SharedShift(const char* path) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) abort();
  void* const mapped =
      mmap(nullptr, sizeof(Shift), PROT_READ, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) abort();
  close(fd);
  return static_cast<Shift*>(mapped);
}

Shift& TheShift() {
  static Shift own{0};
  static Shift* const shift = [] {
    const char* const path = getenv("CLOCK_SHIFT_FILE");
    return path == nullptr ? &own : SharedShift(path);
  }();
  return *shift;
}

// The C library's syscall() is one of those that are replaced here.
long Kernel(long number, long a, long b, long c, long d, long e, long f) {
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  long result = number;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  if (result >= 0 || result < -4095) return result;
  errno = static_cast<int>(-result);
  return -1;
}

template <typename T>
long Word(T* pointer) {
  return reinterpret_cast<long>(pointer);
}

std::int64_t Nanos(const timespec& time) {
  return time.tv_sec * kSecond + time.tv_nsec;
}

timespec ToTimespec(std::int64_t nanos) {
  return {.tv_sec = nanos / kSecond, .tv_nsec = nanos % kSecond};
}

std::int64_t Read(clockid_t clock) {
  timespec now{};
  Kernel(SYS_clock_gettime, clock, Word(&now), 0, 0, 0, 0);
  const bool wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  return Nanos(now) + (wall ? TheShift().load() : 0);
}

// The steady clock's moment at which to look at the wall clock again, at the
// latest at its `until`; 0: that has passed.
std::int64_t NextLook(const timespec& until) {
  const std::int64_t left = Nanos(until) - Read(CLOCK_REALTIME);
  return left <= 0 ? 0 : Read(CLOCK_MONOTONIC) + std::min(left, kSlice);
}

using ClockWait = int(pthread_cond_t*, pthread_mutex_t*, clockid_t,
                      const timespec*);
using TimedWait = int(pthread_cond_t*, pthread_mutex_t*, const timespec*);

template <typename Function>
Function* Original(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

int SteadyWait(pthread_cond_t* cond, pthread_mutex_t* mutex,
               const timespec& until) {
  static auto* const wait = Original<ClockWait>("pthread_cond_clockwait");
  return wait(cond, mutex, CLOCK_MONOTONIC, &until);
}

int WallWait(pthread_cond_t* cond, pthread_mutex_t* mutex,
             const timespec& until) {
  while (const std::int64_t look = NextLook(until)) {
    const int result = SteadyWait(cond, mutex, ToTimespec(look));
    if (result != ETIMEDOUT) return result;
  }
  return ETIMEDOUT;
}

// A futex that waits for a moment of the wall clock, as abseil's do.
long WallFutex(long word, long operation, long value, const timespec& until,
               long mask) {
  while (const std::int64_t look = NextLook(until)) {
    const timespec steady = ToTimespec(look);
    const long result =
        Kernel(SYS_futex, word, operation & ~FUTEX_CLOCK_REALTIME, value,
               Word(&steady), 0, mask);
    if (result == 0 || errno != ETIMEDOUT) return result;
  }
  errno = ETIMEDOUT;
  return -1;
}

}  // namespace

namespace podsim::testing {

void SetClockBack(std::int64_t seconds) {
  TheShift().store(-seconds * kSecond);
}

}  // namespace podsim::testing

extern "C" {

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE) {
    return static_cast<int>(
        Kernel(SYS_clock_gettime, clock, Word(now), 0, 0, 0, 0));
  }
  *now = ToTimespec(Read(clock));
  return 0;
}

int gettimeofday(timeval* now, void*) noexcept {
  const timespec time = ToTimespec(Read(CLOCK_REALTIME));
  *now = {.tv_sec = time.tv_sec, .tv_usec = time.tv_nsec / 1000};
  return 0;
}

time_t time(time_t* now) noexcept {
  const time_t seconds = Read(CLOCK_REALTIME) / kSecond;
  if (now != nullptr) *now = seconds;
  return seconds;
}

int pthread_cond_timedwait(pthread_cond_t* cond, pthread_mutex_t* mutex,
                           const timespec* until) {
  // glibc keeps there which clock the condition variable waits by.
  constexpr unsigned kSteady = 2;
  if ((cond->__data.__wrefs & kSteady) == 0) {
    return WallWait(cond, mutex, *until);
  }
  return SteadyWait(cond, mutex, *until);
}

int pthread_cond_clockwait(pthread_cond_t* cond, pthread_mutex_t* mutex,
                           clockid_t clock, const timespec* until) {
  return clock == CLOCK_REALTIME ? WallWait(cond, mutex, *until)
                                 : SteadyWait(cond, mutex, *until);
}

// Reads six arguments, as the C library's does, however few the caller passes:
// the sixth may then be any word of its frame, AddressSanitizer's guards too.
[[gnu::no_sanitize_address]] long syscall(long number, ...) noexcept {
  va_list rest;
  va_start(rest, number);
  long a[6];
  for (long& argument : a) argument = va_arg(rest, long);
  va_end(rest);
  const auto* const until = reinterpret_cast<const timespec*>(a[3]);
  constexpr int kWallWait = FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME;
  if (number == SYS_futex && (a[1] & ~FUTEX_PRIVATE_FLAG) == kWallWait &&
      until != nullptr) {
    return WallFutex(a[0], a[1], a[2], *until, a[5]);
  }
  return Kernel(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

}  // extern "C"
