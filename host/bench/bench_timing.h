// Iteration times to the figures of a report. Pure.
#ifndef PODSIM_HOST_BENCH_BENCH_TIMING_H_
#define PODSIM_HOST_BENCH_BENCH_TIMING_H_

#include <cstdint>
#include <vector>

#include "proto/bench.pb.h"

namespace podsim {

// Median, least, most, 99th percentile (nearest rank) and variation of
// `seconds` but the first `skip`, into `timing`; with `keep`, all the times
// too. REQUIRES: skip < seconds.size().
void FillSpread(std::vector<double> seconds, std::int64_t skip, bool keep,
                BenchTiming& timing);

}  // namespace podsim

#endif  // PODSIM_HOST_BENCH_BENCH_TIMING_H_
