// pod_bench as a function: from its arguments to its exit code. Everything that
// can be refused is refused before the first process starts.
#ifndef PODSIM_RUNTIME_BENCH_BENCH_H_
#define PODSIM_RUNTIME_BENCH_BENCH_H_

#include "base/clock.h"
#include "runtime/launch/launch.h"
#include "runtime/report/console.h"

namespace podsim {

// 0: every element was right and, with NCCL_TESTS_MIN_BW set, the average bus
// bandwidth at least nine tenths of it; 1 otherwise; that of the first process
// that failed (128 + N for signal N); 128 + N when stopped by signal N; 2 for
// what is refused as given.
// REQUIRES: this process has one thread.
int Bench(const LaunchContext& context, Console& console, const Clock& clock);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_BENCH_BENCH_H_
