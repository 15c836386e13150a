#include "bench/beside_copy.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <map>

namespace podsim {
namespace {

// Bytes of one try at least, so that reading the clock costs nothing beside it.
constexpr std::int64_t kTryBytes = 4 << 20;

}  // namespace

CopyBuffers::CopyBuffers(std::int64_t bytes, std::int64_t offset)
    : size_(static_cast<std::size_t>(bytes)),
      from_pages_(size_ / sizeof(Page) + 1),
      to_pages_(from_pages_.size() + 1),
      to_(reinterpret_cast<std::byte*>(to_pages_.data()) + offset) {
  std::memset(from_pages_.data(), 1, size_);
}

void CopyBuffers::Copy() {
  std::memcpy(to_, from_pages_.data(), size_);
  benchmark::DoNotOptimize(to_);
  benchmark::ClobberMemory();
}

bool CopyBuffers::copied() const {
  return std::all_of(to_, to_ + size_,
                     [](std::byte it) { return it == std::byte{1}; });
}

double ThreadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec);
}

double CopyBytesPerSecond(std::int64_t bytes) {
  // Kept: the system takes longer to give new pages than to copy them.
  static std::map<std::int64_t, CopyBuffers> all_buffers;
  CopyBuffers& buffers = all_buffers.try_emplace(bytes, bytes).first->second;
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
