#include "limit_sum.h"

#include <algorithm>

#include "limit_frame.h"

namespace podsim::peers {

__attribute__((target_clones("avx512f", "avx2", "default"))) void Sum(
    const float* __restrict other, float* __restrict mine, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) mine[i] = other[i] + mine[i];
}

std::uint32_t SumAndCrc(const float* other, float* mine, std::size_t count) {
  constexpr std::size_t kBlock = 2048;  // 8 KiB of each
  std::uint32_t crc = 0;
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    const std::size_t block = std::min(kBlock, count - begin);
    Sum(other + begin, mine + begin, block);
    crc = Crc(mine + begin, block * sizeof(float), crc);
  }
  return crc;
}

}  // namespace podsim::peers
