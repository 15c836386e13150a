// Where the time of a step's compute goes: seconds that threads spend in each
// kind of work.
#ifndef PODSIM_HOST_CORE_OP_TIMES_H_
#define PODSIM_HOST_CORE_OP_TIMES_H_

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace podsim {

enum class Work : std::uint8_t {
  kProducts,  // and packing their left sides, which the kernels do on the way
  kPacking,   // right sides
  kElementwise,
  kSums,  // over microbatches (tree reduction)
};
inline constexpr std::size_t kWorkKinds = 4;

// Thread-safe.
class OpTimes {
 public:
  void Add(Work work, std::chrono::nanoseconds time) {
    nanoseconds_[static_cast<std::size_t>(work)].fetch_add(
        time.count(), std::memory_order_relaxed);
  }
  // Of all threads together, since the last Clear.
  double seconds(Work work) const {
    return 1e-9 * static_cast<double>(
                      nanoseconds_[static_cast<std::size_t>(work)].load(
                          std::memory_order_relaxed));
  }
  void Clear() {
    for (auto& of_kind : nanoseconds_) of_kind = 0;
  }

 private:
  std::array<std::atomic<std::int64_t>, kWorkKinds> nanoseconds_ = {};
};

// Adds the time of a scope. Nothing without `times`.
class TimedWork {
 public:
  TimedWork(OpTimes* times, Work work) : times_(times), work_(work) {
    if (times_ != nullptr) begin_ = std::chrono::steady_clock::now();
  }
  ~TimedWork() {
    if (times_ != nullptr)
      times_->Add(work_, std::chrono::steady_clock::now() - begin_);
  }
  TimedWork(const TimedWork&) = delete;
  TimedWork& operator=(const TimedWork&) = delete;

 private:
  OpTimes* times_;
  Work work_;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_OP_TIMES_H_
