#include "bench/beside_copy.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>

namespace podsim {
namespace {

// Bytes of one try at least, so that reading the clock costs nothing beside it.
constexpr std::int64_t kTryBytes = 4 << 20;

}  // namespace

CopyBuffers::CopyBuffers(std::int64_t bytes)
    : size_(static_cast<std::size_t>(bytes)),
      from_(size_ / sizeof(Page) + 1),
      to_(from_.size()) {
  std::memset(from_.data(), 1, size_);
}

void CopyBuffers::Copy() {
  std::memcpy(to_.data(), from_.data(), size_);
  benchmark::DoNotOptimize(to_.data());
  benchmark::ClobberMemory();
}

bool CopyBuffers::copied() const {
  const auto* const bytes = reinterpret_cast<const std::byte*>(to_.data());
  return std::all_of(bytes, bytes + size_,
                     [](std::byte it) { return it == std::byte{1}; });
}

double ThreadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec);
}

double CopyBytesPerSecond(std::int64_t bytes) {
  CopyBuffers buffers(bytes);
  const std::int64_t copies = std::max<std::int64_t>(1, kTryBytes / bytes);
  std::array<double, 5> tries{};
  for (double& one : tries) {
    const double begin = ThreadSeconds();
    for (std::int64_t i = 0; i < copies; ++i) buffers.Copy();
    one = static_cast<double>(copies * bytes) / (ThreadSeconds() - begin);
  }
  std::nth_element(tries.begin(), tries.begin() + 2, tries.end());
  return tries[2];
}

}  // namespace podsim
