#include "bench/product_bench.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/random.h"
#include "host/core/aligned_floats.h"
#include "models/kernels/reference.h"

namespace podsim {
namespace {

enum class Op { kPlain, kBt, kAt };

struct Product {
  Op op;
  std::int64_t m, n, k;
  bool bf16 = false;

  std::int64_t lda() const { return op == Op::kAt ? m : k; }
  std::int64_t ldb() const { return op == Op::kBt ? k : n; }
  const PodsimProducts& Of(const PodsimKernels& table) const {
    return bf16 ? table.bfloat16 : table.float32;
  }

  std::string Name(const char* isa) const {
    return absl::StrCat(op == Op::kAt ? "multiply_at/" : "multiply/", isa,
                        bf16 ? "/bfloat16/" : "/float32/", m, "x", n, "x", k);
  }
  std::string PackName(const char* isa) const {
    return absl::StrCat(op == Op::kBt ? "pack_bt/" : "pack/", isa,
                        bf16 ? "/bfloat16/" : "/float32/", n, "x", k);
  }
};

// Forward, gradient of the input, gradient of the weights, by layer.
constexpr Product kStep[] = {
    {Op::kPlain, 1024, 512, 784}, {Op::kPlain, 1024, 512, 512},
    {Op::kPlain, 1024, 10, 512},  {Op::kBt, 1024, 512, 10},
    {Op::kBt, 1024, 512, 512},    {Op::kAt, 512, 10, 1024},
    {Op::kAt, 512, 512, 1024},    {Op::kAt, 784, 512, 1024}};

std::vector<float> Random(std::int64_t count, std::uint64_t key) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = UniformFloat(key, i) - 0.5F;
  return values;
}

struct Operands {
  std::vector<float> a, b;

  // As kernels want them in bfloat16: A rounded, B not yet.
  explicit Operands(const Product& p)
      : a(Random(p.m * p.k, 1)), b(Random(p.k * p.n, 2)) {
    if (p.bf16)
      ReferenceKernels().round_bfloat16(p.m * p.k, a.data(), a.data());
  }
};

void Pack(const PodsimKernels& table, const Product& p, const Operands& in,
          float* packed) {
  const PodsimProducts& products = p.Of(table);
  const auto pack = p.op == Op::kBt ? products.pack_bt : products.pack;
  pack(p.n, p.k, in.b.data(), p.ldb(), 0, p.n, packed);
}

AlignedFloats Packed(const PodsimKernels& table, const Product& p,
                     const Operands& in) {
  AlignedFloats packed(p.Of(table).packed_elements(p.n, p.k));
  Pack(table, p, in, packed.data());
  return packed;
}

// The first `rows` rows of C.
void Multiply(const PodsimKernels& table, const Product& p, const Operands& in,
              const float* packed, std::int64_t rows, std::vector<float>& c) {
  const PodsimProducts& products = p.Of(table);
  if (p.op == Op::kAt)
    products.multiply_at(rows, p.n, p.k, in.a.data(), p.lda(), packed, c.data(),
                         p.n, /*accumulate=*/0);
  else
    products.multiply(rows, p.n, p.k, in.a.data(), p.lda(), packed, c.data(),
                      p.n);
}

// Both sum K products of at most 1/4, in float32 or better: each is off by at
// most K u K / 4 with u = 2^-24 (Higham, section 3.1), so the two differ by at
// most twice that. Operands are multiples of 2^-24 below 1, and so no product
// or sum is a denormal that a tile unit would drop.
bool Right(const PodsimKernels& table, const Product& p, const Operands& in) {
  const std::int64_t rows = std::min<std::int64_t>(p.m, 40);
  std::vector<float> got(static_cast<std::size_t>(rows * p.n));
  std::vector<float> want(got.size());
  Multiply(table, p, in, Packed(table, p, in).data(), rows, got);
  Multiply(ReferenceKernels(), p, in, Packed(ReferenceKernels(), p, in).data(),
           rows, want);
  const double bound = 2 * static_cast<double>(p.k * p.k) * 0x1p-24 / 4;
  for (std::size_t i = 0; i < got.size(); ++i)
    if (!(std::abs(got[i] - want[i]) <= bound)) return false;
  return true;
}

void MeasureProduct(benchmark::State& state, const PodsimKernels& table,
                    const Product& p) {
  const Operands in(p);
  if (!Right(table, p, in)) {
    state.SkipWithError("the product is wrong");
    return;
  }
  const AlignedFloats packed = Packed(table, p, in);
  std::vector<float> c(static_cast<std::size_t>(p.m * p.n));
  for (auto _ : state) {
    Multiply(table, p, in, packed.data(), p.m, c);
    benchmark::DoNotOptimize(c.data());
    benchmark::ClobberMemory();
  }
  state.counters["GFLOP/s"] =
      benchmark::Counter(2e-9 * static_cast<double>(p.m * p.n * p.k),
                         benchmark::Counter::kIsIterationInvariantRate);
}

// Bytes are those of B as it was.
void MeasurePack(benchmark::State& state, const PodsimKernels& table,
                 const Product& p) {
  const Operands in(p);
  if (!Right(table, p, in)) {
    state.SkipWithError("what was packed is wrong");
    return;
  }
  const AlignedFloats packed = Packed(table, p, in);
  for (auto _ : state) {
    Pack(table, p, in, packed.data());
    benchmark::DoNotOptimize(packed.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * p.n * p.k *
                          static_cast<std::int64_t>(sizeof(float)));
}

}  // namespace

void RegisterProducts(const PodsimKernels& table) {
  // Packed, B is the same however it lay, and two products may have one B.
  std::set<std::string> names;
  for (const bool bf16 : {false, true}) {
    for (Product product : kStep) {
      product.bf16 = bf16;
      const auto add = [&](const std::string& name, auto measure) {
        if (!names.insert(name).second) return;
        benchmark::RegisterBenchmark(
            name.c_str(), [&table, product, measure](benchmark::State& state) {
              measure(state, table, product);
            });
      };
      add(product.Name(table.isa), MeasureProduct);
      add(product.PackName(table.isa), MeasurePack);
    }
  }
}

}  // namespace podsim
