#include "host/board/thread_pool.h"

#include <chrono>
#include <string>
#include <system_error>

#include "base/log.h"
#include "base/status.h"

namespace podsim {
namespace {

// How often a thread looks before it sleeps: some 10 to 50 us, the price of a
// sleep and a wake-up, and about as long as the serial piece between segments.
constexpr int kSpins = 1000;
// Sleeps are notified; the bound only makes a lost one harmless.
constexpr std::chrono::seconds kSleep{1};

inline void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

template <typename Condition>
void Spin(const Condition& condition) {
  for (int i = 0; i < kSpins && !condition(); ++i) Pause();
}

}  // namespace

ThreadPool::ThreadPool(int threads) {
  PODSIM_CHECK(threads >= 1);
  workers_.reserve(static_cast<std::size_t>(threads - 1));
  for (int i = 1; i < threads; ++i) {
    try {
      workers_.emplace_back([this] { WorkerLoop(); });
    } catch (const std::system_error& error) {
      Log(LogLevel::kWarning,
          "working with " + std::to_string(i) + " threads instead of " +
              std::to_string(threads) + ": " + error.what());
      break;
    }
  }
}

ThreadPool::~ThreadPool() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    posted_.fetch_add(1, std::memory_order_release);
    wake_.NotifyAll();
  }
  workers_.clear();  // joins
}

void ThreadPool::Run(std::int64_t count,
                     const std::function<void(std::int64_t)>& fn) {
  PODSIM_CHECK(!running_.exchange(true, std::memory_order_acquire));
  Loop loop{count, fn};
  if (workers_.empty() || count <= 1) {
    Work(loop);
  } else {
    {
      MutexLock lock(mutex_);
      loop_ = &loop;
      posted_.fetch_add(1, std::memory_order_release);
      if (sleeping_ > 0) wake_.NotifyAll();
    }
    Work(loop);
    Close();
  }
  running_.store(false, std::memory_order_release);
}

void ThreadPool::Work(Loop& loop) noexcept {
  for (;;) {
    const std::int64_t task = loop.next.fetch_add(1, std::memory_order_relaxed);
    if (task >= loop.count) return;
    loop.fn(task);
  }
}

void ThreadPool::WorkerLoop() {
  std::uint64_t seen = 0;
  while (Loop* loop = Enter(seen)) {
    Work(*loop);
    Leave();
  }
}

ThreadPool::Loop* ThreadPool::Enter(std::uint64_t& seen) {
  for (;;) {
    Spin([&] { return posted_.load(std::memory_order_acquire) != seen; });
    MutexLock lock(mutex_);
    while (posted_.load(std::memory_order_relaxed) == seen) {
      ++sleeping_;
      wake_.WaitFor(mutex_, kSleep);
      --sleeping_;
    }
    seen = posted_.load(std::memory_order_relaxed);
    if (stopping_) return nullptr;
    if (loop_ == nullptr) continue;  // came too late for this one
    inside_.fetch_add(1, std::memory_order_relaxed);
    return loop_;
  }
}

void ThreadPool::Leave() {
  MutexLock lock(mutex_);
  if (inside_.fetch_sub(1, std::memory_order_release) == 1) idle_.NotifyOne();
}

void ThreadPool::Close() {
  {
    MutexLock lock(mutex_);
    loop_ = nullptr;
  }
  const auto empty = [&] {
    return inside_.load(std::memory_order_acquire) == 0;
  };
  Spin(empty);
  if (empty()) return;
  MutexLock lock(mutex_);
  while (!empty()) idle_.WaitFor(mutex_, kSleep);
}

}  // namespace podsim
