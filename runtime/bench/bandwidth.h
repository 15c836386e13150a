// Times to bandwidths, as nccl-tests counts them: bytes of a rank's larger
// buffer, GB/s = 1e9 bytes/s. Pure.
#ifndef PODSIM_RUNTIME_BENCH_BANDWIDTH_H_
#define PODSIM_RUNTIME_BENCH_BANDWIDTH_H_

#include <cstdint>
#include <string_view>

namespace podsim {

struct Bandwidth {
  double algorithm = 0;  // bytes / seconds
  // Times what a rank must at least send: comparable between collectives and
  // numbers of ranks. 2(n-1)/n for all_reduce, 1 for broadcast, (n-1)/n else.
  double bus = 0;
};

// 0 where no time was measured or nothing travels.
Bandwidth BandwidthOf(std::string_view collective, std::int64_t bytes,
                      double seconds, int ranks);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_BENCH_BANDWIDTH_H_
