// How fast the matrix products are, per ISA level, in the shapes of the MLP
// 784-512-512-10, and the rounding to bfloat16 before them, beside the
// machine's copy bandwidth. Each result is verified against the slow reference
// before it is timed. A level that this CPU does not run is one line that says
// so.
//
//   build/release/bin/kernels_bench
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "base/random.h"
#include "base/status.h"
#include "bench/bench_main.h"
#include "bench/beside_copy.h"
#include "bench/product_bench.h"
#include "models/kernels/kernels.h"
#include "models/kernels/reference.h"

namespace podsim {
namespace {

std::vector<float> RandomMatrix(std::int64_t count, std::uint64_t key) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = UniformFloat(key, i) - 0.5F;
  return values;
}

void Round(benchmark::State& state, const PodsimKernels* kernels,
           std::int64_t bytes) {
  const std::int64_t count = bytes / 4;
  const auto from = RandomMatrix(count, 1);
  std::vector<float> to(from.size());
  std::vector<float> want(from.size());
  kernels->round_bfloat16(count, from.data(), to.data());
  ReferenceKernels().round_bfloat16(count, from.data(), want.data());
  if (to != want) {
    state.SkipWithError("the rounding is wrong");
    return;
  }
  TimeBesideCopy(state, bytes, [&] {
    kernels->round_bfloat16(count, from.data(), to.data());
  });
}

void NotMeasured(benchmark::State& state, const std::string& why) {
  state.SkipWithError(why.c_str());
}

void Copy(benchmark::State& state) {
  constexpr std::int64_t kBytes = 64 << 20;
  CopyBuffers buffers(kBytes);
  for (auto _ : state) buffers.Copy();
  state.SetBytesProcessed(state.iterations() * kBytes);
}

void Register() {
  benchmark::RegisterBenchmark("copy/64MiB", Copy);
  for (const std::string& isa : IsaLevels()) {
    const auto kernels = LoadKernels(isa);
    if (!kernels.ok()) {
      benchmark::RegisterBenchmark(("not measured: " + isa).c_str(),
                                   NotMeasured,
                                   std::string(kernels.status().message()));
      continue;
    }
    for (const std::int64_t bytes : {64 << 10, 64 << 20})
      benchmark::RegisterBenchmark(
          ("round_bfloat16/" + isa + "/" + std::to_string(bytes)).c_str(),
          Round, *kernels, bytes);
    RegisterProducts(**kernels);
  }
}

}  // namespace
}  // namespace podsim

int main(int argc, char** argv) {
  podsim::Register();
  return podsim::BenchMain(argc, argv);
}
