// The subjects of collectives_bench, each in a file of its own.
//
// Every benchmark checks its result against a simple loop before it is timed; a
// wrong one is reported as an error that ends in "is wrong".
#ifndef PODSIM_BENCH_COLLECTIVES_BENCH_H_
#define PODSIM_BENCH_COLLECTIVES_BENCH_H_

#include <cstdint>

namespace podsim {

// Buffers of which two lie in a core's second cache but not in its first, and
// buffers that lie in memory.
inline constexpr std::int64_t kCachedBytes = 64 << 10;
inline constexpr std::int64_t kMemoryBytes = 64 << 20;

void RegisterSums();       // received bytes into a buffer
void RegisterBfloat16();   // values onto a narrow wire and off it
void RegisterChecksums();  // CRC32C
void RegisterFrames();     // headers, and whole messages as gRPC gets them
void RegisterPlans();      // one rank's plan of a 64 MiB all-reduce

}  // namespace podsim

#endif  // PODSIM_BENCH_COLLECTIVES_BENCH_H_
