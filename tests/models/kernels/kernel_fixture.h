// What the kernel tests share: the levels this CPU can run, matrices with a
// seeded filling, and bitwise comparison.
#ifndef PODSIM_TESTS_MODELS_KERNELS_KERNEL_FIXTURE_H_
#define PODSIM_TESTS_MODELS_KERNELS_KERNEL_FIXTURE_H_

#include <asm/prctl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/random.h"
#include "models/kernels/kernels.h"
#include "tests/testing/status_matchers.h"

namespace podsim {

// 2^-24: the most that one float32 operation is off, relative to its result.
inline constexpr double kUnitRoundoff = 0x1p-24;

// The part of a thread's state that holds tiles, by its number in XCR0.
inline constexpr unsigned long kTileData = 18;

// Levels by what the operating system says of the CPU: independent of the
// loader's own reading.
inline std::vector<std::string> RunnableLevels() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string line;
  bool amd = false;
  while (std::getline(cpuinfo, line) && !line.starts_with("flags"))
    amd |= line.ends_with("AuthenticAMD");
  const auto has = [&](const std::string& flag) {
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      if (word == flag) return true;
    }
    return false;
  };
  const bool amx = has("amx_tile") && has("amx_bf16") && has("avx512_bf16") &&
                   syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, kTileData) == 0;
  std::vector<std::string> levels;
  if (has("sse4_2") && has("popcnt")) levels.emplace_back("v2");
  if (has("avx2") && has("fma") && has("bmi2")) levels.emplace_back("v3");
  if (has("avx512f") && has("avx512bw") && has("avx512vl") && has("avx512dq")) {
    levels.emplace_back("v4");
  }
  if (has("avx512_bf16") && (amd || amx)) levels.emplace_back("bf16");
  if (amx) levels.emplace_back("amx");
  return levels;
}

class KernelTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(kernels_, LoadKernels(GetParam()));
  }
  const PodsimKernels& kernels() const { return *kernels_; }

 private:
  const PodsimKernels* kernels_ = nullptr;
};

#define PODSIM_INSTANTIATE_KERNEL_TEST(fixture)                   \
  INSTANTIATE_TEST_SUITE_P(Levels, fixture,                       \
                           ::testing::ValuesIn(RunnableLevels()), \
                           [](const auto& info) { return info.param; })

// REQUIRES: the table has the op, as those of all ISA levels have.
inline void RunElementwise(const PodsimKernels& kernels, const char* op,
                           const std::vector<const float*>& in,
                           std::vector<float>& out) {
  const PodsimElementwise* kernel = FindElementwise(kernels, op);
  ASSERT_NE(kernel, nullptr) << op;
  kernel->run(static_cast<std::int64_t>(out.size()), in.data(), out.data());
}

// `count` values in [-1, 1), a function of the seed.
inline std::vector<float> Uniform(std::int64_t count, std::uint64_t seed) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = 2 * UniformFloat(seed, i) - 1;
  }
  return values;
}

inline std::vector<float> Absolute(std::vector<float> values) {
  for (float& value : values) value = std::fabs(value);
  return values;
}

// Bits, so that NaN equals itself and -0 differs from 0.
inline std::vector<std::uint32_t> Bits(const std::vector<float>& values) {
  std::vector<std::uint32_t> bits;
  bits.reserve(values.size());
  for (const float value : values) {
    bits.push_back(std::bit_cast<std::uint32_t>(value));
  }
  return bits;
}

}  // namespace podsim

#endif  // PODSIM_TESTS_MODELS_KERNELS_KERNEL_FIXTURE_H_
