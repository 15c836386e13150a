// How fast the matrix products are, per ISA level, in the shapes of the MLP
// 784-512-512-10, and the rounding to bfloat16 before them, beside the
// machine's copy bandwidth. Each result is verified against the slow reference
// before it is timed.
//
//   build/release/bin/kernels_bench
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/status.h"
#include "bench/beside_copy.h"
#include "host/core/aligned_floats.h"
#include "models/tensor/kernels.h"
#include "models/tensor/reference.h"

namespace podsim {
namespace {

struct ProductShape {
  std::int64_t m, n, k;
};

std::vector<float> RandomMatrix(std::int64_t count, std::uint64_t key) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = UniformFloat(key, i) - 0.5F;
  return values;
}

// Both sum K products of at most 1/4, in float32 or better: each is off by at
// most K u K / 4 with u = 2^-24 (Higham, section 3.1), so the two differ by at
// most twice that.
// The reference packs b as it is.
bool Verify(const PodsimKernels& kernels, const ProductShape& s,
            const std::vector<float>& a, const std::vector<float>& b,
            const float* packed) {
  const std::int64_t rows = std::min<std::int64_t>(s.m, 8);
  std::vector<float> got(rows * s.n);
  std::vector<float> want(rows * s.n);
  kernels.float32.multiply(rows, s.n, s.k, a.data(), s.k, packed, got.data(),
                           s.n);
  ReferenceKernels().float32.multiply(rows, s.n, s.k, a.data(), s.k, b.data(),
                                      want.data(), s.n);
  const double bound = 2 * static_cast<double>(s.k * s.k) * 0x1p-24 / 4;
  for (std::size_t i = 0; i < got.size(); ++i)
    if (!(std::abs(got[i] - want[i]) <= bound)) return false;
  return true;
}

void Product(benchmark::State& state, const std::string& isa, ProductShape s) {
  const auto kernels = LoadKernels(isa);
  if (!kernels.ok()) {
    state.SkipWithError(std::string(kernels.status().message()).c_str());
    return;
  }
  const auto a = RandomMatrix(s.m * s.k, 1);
  const auto b = RandomMatrix(s.k * s.n, 2);
  const PodsimProducts& products = (*kernels)->float32;
  const AlignedFloats packed(products.packed_elements(s.n, s.k));
  products.pack(s.n, s.k, b.data(), s.n, 0, s.n, packed.data());
  if (!Verify(**kernels, s, a, b, packed.data())) {
    state.SkipWithError("the product is wrong");
    return;
  }
  std::vector<float> c(s.m * s.n);
  for (auto _ : state) {
    products.multiply(s.m, s.n, s.k, a.data(), s.k, packed.data(), c.data(),
                      s.n);
    benchmark::DoNotOptimize(c.data());
    benchmark::ClobberMemory();
  }
  state.counters["GFLOP/s"] =
      benchmark::Counter(2e-9 * static_cast<double>(s.m * s.n * s.k),
                         benchmark::Counter::kIsIterationInvariantRate);
}

void Round(benchmark::State& state, const std::string& isa,
           std::int64_t bytes) {
  const auto kernels = LoadKernels(isa);
  if (!kernels.ok()) {
    state.SkipWithError(std::string(kernels.status().message()).c_str());
    return;
  }
  const std::int64_t count = bytes / 4;
  const auto from = RandomMatrix(count, 1);
  std::vector<float> to(from.size());
  std::vector<float> want(from.size());
  (*kernels)->round_bfloat16(count, from.data(), to.data());
  ReferenceKernels().round_bfloat16(count, from.data(), want.data());
  if (to != want) {
    state.SkipWithError("the rounding is wrong");
    return;
  }
  TimeBesideCopy(state, bytes, [&] {
    (*kernels)->round_bfloat16(count, from.data(), to.data());
  });
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
    for (const std::int64_t bytes : {64 << 10, 64 << 20})
      benchmark::RegisterBenchmark(
          ("round_bfloat16/" + isa + "/" + std::to_string(bytes)).c_str(),
          Round, isa, bytes);
    for (const ProductShape s :
         {ProductShape{1024, 512, 784}, ProductShape{1024, 512, 512},
          ProductShape{1024, 10, 512}})
      benchmark::RegisterBenchmark(
          ("multiply/" + isa + "/" + std::to_string(s.m) + "x" +
           std::to_string(s.n) + "x" + std::to_string(s.k))
              .c_str(),
          [isa, s](benchmark::State& state) { Product(state, isa, s); });
  }
}

}  // namespace
}  // namespace podsim

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  podsim::Register();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
