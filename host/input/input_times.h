// What making a batch consists of, in wall time of the threads that make it.
#ifndef PODSIM_HOST_INPUT_INPUT_TIMES_H_
#define PODSIM_HOST_INPUT_INPUT_TIMES_H_

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace podsim {

enum class InputPart : std::uint8_t {
  kRead,     // bytes of a store
  kDecode,   // unpacking, checksums, parsing, JPEG and PNG
  kAugment,  // crops, flips, sizes
  kCopy,     // values to their rows, and all that is none of the others
};
inline constexpr std::size_t kInputParts =
    static_cast<std::size_t>(InputPart::kCopy) + 1;

// Seconds by part, summed over threads. One thread at a time.
struct InputTimes {
  std::array<double, kInputParts> seconds{};

  double& operator[](InputPart part) {
    return seconds[static_cast<std::size_t>(part)];
  }
  double operator[](InputPart part) const {
    return seconds[static_cast<std::size_t>(part)];
  }
  double total() const {
    double sum = 0;
    for (const double each : seconds) sum += each;
    return sum;
  }
  void Add(const InputTimes& other) {
    for (std::size_t i = 0; i < kInputParts; ++i)
      seconds[i] += other.seconds[i];
  }
};

// Adds the time of its life to a part. `times` may be null: nothing is read.
class TimedInput {
 public:
  using Clock = std::chrono::steady_clock;
  TimedInput(InputTimes* times, InputPart part) : times_(times), part_(part) {
    if (times_ != nullptr) begin_ = Clock::now();
  }
  ~TimedInput() {
    if (times_ != nullptr)
      (*times_)[part_] +=
          std::chrono::duration<double>(Clock::now() - begin_).count();
  }
  TimedInput(const TimedInput&) = delete;
  TimedInput& operator=(const TimedInput&) = delete;

 private:
  InputTimes* const times_;
  const InputPart part_;
  Clock::time_point begin_;
};

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_INPUT_TIMES_H_
