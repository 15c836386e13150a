// Counter-based random numbers: a value is a pure function of (key, counter),
// so any thread, host or slice draws the same number for the same place.
//
// Generator: Philox4x32-10, Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3", SC'11 (constants from the paper's table).
#ifndef PODSIM_BASE_RANDOM_H_
#define PODSIM_BASE_RANDOM_H_

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace podsim {

// Four independent uniform 32-bit words for (key, counter).
std::array<std::uint32_t, 4> Philox(std::uint64_t key, std::uint64_t counter_lo,
                                    std::uint64_t counter_hi);

// Words of Philox(key, 0, counter_hi), Philox(key, 1, counter_hi), ..., as many
// as there is room for: several counters at a time.
void PhiloxWords(std::uint64_t key, std::uint64_t counter_hi,
                 std::span<std::uint32_t> words);

// A well-mixed 64-bit key from a seed and a name ("dense_1/kernel", "epoch").
// Stable across builds and machines.
std::uint64_t RandomKey(std::uint64_t seed, std::string_view name);

// Uniform in [0, 1), 24 bits. `index` is the counter.
float UniformFloat(std::uint64_t key, std::uint64_t index);

// A pseudo-random permutation of [0, size): place -> element, without memory.
// A Feistel network over the next power of four with cycle walking; O(1)
// expected per call. REQUIRES: size >= 1.
class Permutation {
 public:
  Permutation(std::uint64_t key, std::uint64_t size);
  // REQUIRES: place < size.
  std::uint64_t operator()(std::uint64_t place) const;
  std::uint64_t size() const { return size_; }

 private:
  std::uint64_t Round(std::uint64_t value) const;

  std::uint64_t key_;
  std::uint64_t size_;
  int half_bits_;
};

}  // namespace podsim

#endif  // PODSIM_BASE_RANDOM_H_
