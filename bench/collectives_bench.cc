// How fast the parts of a collective are, each beside the machine's copy
// bandwidth.
//
//   build/release/bin/collectives_bench --benchmark_filter=sum
#include "bench/collectives_bench.h"

#include <benchmark/benchmark.h>

#include <cstdint>

#include "bench/bench_main.h"
#include "bench/beside_copy.h"

namespace podsim {
namespace {

// That of_copy comes to 1 says how far the figures of a run can be trusted.
void Copy(benchmark::State& state, std::int64_t offset) {
  const std::int64_t bytes = state.range(0);
  CopyBuffers buffers(bytes, offset);
  buffers.Copy();
  if (!buffers.copied()) return state.SkipWithError("the copy is wrong");
  TimeBesideCopy(state, bytes, [&] { buffers.Copy(); });
}

void RegisterCopies() {
  benchmark::RegisterBenchmark("copy", Copy, /*offset=*/0)
      ->Arg(64)
      ->Arg(1 << 10)
      ->Arg(16 << 10)
      ->Arg(kCachedBytes)
      ->Arg(512 << 10)
      ->Arg(kMemoryBytes);
  benchmark::RegisterBenchmark("copy_16_bytes_off", Copy, /*offset=*/16)
      ->Arg(1 << 10)
      ->Arg(16 << 10)
      ->Arg(kCachedBytes)
      ->Arg(256 << 10)
      ->Arg(512 << 10);
}

}  // namespace
}  // namespace podsim

int main(int argc, char** argv) {
  podsim::RegisterCopies();
  podsim::RegisterSums();
  podsim::RegisterBfloat16();
  podsim::RegisterChecksums();
  podsim::RegisterFrames();
  podsim::RegisterPlans();
  return podsim::BenchMain(argc, argv);
}
