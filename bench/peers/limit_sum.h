// The inner loop of the limit driver, compiled for AVX2 too and chosen when
// the program starts.
#ifndef PODSIM_BENCH_PEERS_LIMIT_SUM_H_
#define PODSIM_BENCH_PEERS_LIMIT_SUM_H_

#include <cstddef>
#include <cstdint>

namespace podsim::peers {

// mine[i] = other[i] + mine[i]. The two do not overlap.
void Sum(const float* other, float* mine, std::size_t count);

// The same, and the CRC of the sums, taken while they are in the first cache.
std::uint32_t SumAndCrc(const float* other, float* mine, std::size_t count);

}  // namespace podsim::peers

#endif  // PODSIM_BENCH_PEERS_LIMIT_SUM_H_
