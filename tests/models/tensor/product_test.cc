// The three products of each runnable level against the scalar reference, and
// the promises about their bits.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "models/tensor/reference.h"
#include "tests/models/tensor/kernel_fixture.h"

namespace podsim {
namespace {

using Index = std::int64_t;

enum class Kind { kPlain, kBt, kAt, kAtAccumulate };
constexpr Kind kKinds[] = {Kind::kPlain, Kind::kBt, Kind::kAt,
                           Kind::kAtAccumulate};

const char* Name(Kind kind) {
  switch (kind) {
    case Kind::kPlain:
      return "A * B";
    case Kind::kBt:
      return "A * B^T";
    case Kind::kAt:
      return "A^T * B";
    case Kind::kAtAccumulate:
      return "C + A^T * B";
  }
  return "";
}

// Memory as PodsimProducts wants it for a packed right side, full of NaN.
class PackedFloats {
 public:
  explicit PackedFloats(Index count)
      : floats_(static_cast<std::size_t>(count) + kPackedAlignment,
                std::numeric_limits<float>::quiet_NaN()),
        count_(static_cast<std::size_t>(count)) {}
  PackedFloats(const PackedFloats&) = delete;
  PackedFloats(PackedFloats&&) = default;  // keeps the memory where it is

  float* data() { return const_cast<float*>(std::as_const(*this).data()); }
  const float* data() const {
    const auto address = reinterpret_cast<std::uintptr_t>(floats_.data());
    const auto past = address % kPackedAlignment;
    return floats_.data() +
           (past == 0 ? 0 : (kPackedAlignment - past) / sizeof(float));
  }
  // Bit by bit: what no column fills is NaN in both.
  bool operator==(const PackedFloats& other) const {
    return count_ == other.count_ &&
           std::memcmp(data(), other.data(), count_ * sizeof(float)) == 0;
  }

 private:
  std::vector<float> floats_;
  std::size_t count_;
};

// One product: sizes, row lengths in memory and filled operands.
struct Case {
  Kind kind;
  Index m, n, k;
  Index lda, ldb, ldc;
  std::vector<float> a, b, c;  // c before the product

  Case(Kind kind, Index m, Index n, Index k, Index padding = 0)
      : kind(kind), m(m), n(n), k(k) {
    const bool a_transposed = kind == Kind::kAt || kind == Kind::kAtAccumulate;
    lda = (a_transposed ? m : k) + padding;
    ldb = (kind == Kind::kBt ? k : n) + padding;
    ldc = n + padding;
    a = Uniform(lda * (a_transposed ? k : m), 1);
    b = Uniform(ldb * (kind == Kind::kBt ? n : k), 2);
    c = Uniform(ldc * m, 3);
  }

  // B packed in ranges of `columns`, every element of it written.
  PackedFloats Pack(const PodsimProducts& products, Index columns) const {
    PackedFloats packed(products.packed_elements(n, k));
    const auto pack = kind == Kind::kBt ? products.pack_bt : products.pack;
    for (Index begin = 0; begin < n; begin += columns)
      pack(n, k, b.data(), ldb, begin, std::min(n, begin + columns),
           packed.data());
    return packed;
  }

  std::vector<float> Run(const PodsimProducts& products) const {
    const PackedFloats packed = Pack(products, std::max<Index>(n, 1));
    std::vector<float> result = c;
    if (kind == Kind::kPlain || kind == Kind::kBt)
      products.multiply(m, n, k, a.data(), lda, packed.data(), result.data(),
                        ldc);
    else
      products.multiply_at(m, n, k, a.data(), lda, packed.data(), result.data(),
                           ldc, kind == Kind::kAtAccumulate ? 1 : 0);
    return result;
  }

  std::vector<float> Run(const PodsimKernels& kernels) const {
    return Run(kernels.float32);
  }

  std::string Text() const {
    return std::string(Name(kind)) + " M=" + std::to_string(m) +
           " N=" + std::to_string(n) + " K=" + std::to_string(k) +
           " ldc=" + std::to_string(ldc);
  }
};

// A sum of K products and, when accumulating, one more term, in any order, with
// or without FMA, is off by at most (K + 1) u (|A| |B| + |C|), u = 2^-24, to
// first order (Higham, Accuracy and Stability, section 3.1). The reference is
// exact but for one rounding to float32 on the way out, which adds one u; one
// more covers the bound's own rounding and second-order terms.
void ExpectNearReference(const PodsimKernels& kernels, const Case& product) {
  SCOPED_TRACE(product.Text());
  const std::vector<float> got = product.Run(kernels);
  const std::vector<float> want = product.Run(ReferenceKernels());
  Case magnitude = product;
  magnitude.a = Absolute(product.a);
  magnitude.b = Absolute(product.b);
  magnitude.c = Absolute(product.c);
  const std::vector<float> sums = magnitude.Run(ReferenceKernels());
  const double factor = static_cast<double>(product.k + 3) * kUnitRoundoff;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const Index column = static_cast<Index>(i) % product.ldc;
    if (column >= product.n) {
      ASSERT_EQ(got[i], product.c[i]) << "wrote past a row's end, at " << i;
    } else {
      ASSERT_NEAR(got[i], want[i], factor * sums[i]) << "at " << i;
    }
  }
}

class ProductTest : public KernelTest {};

// Every pair of sizes for every two of M, N and K: a Latin square.
TEST_P(ProductTest, AgreesWithReferenceOverOddShapes) {
  const std::vector<Index> sizes = {1, 2, 15, 16, 17, 31, 33, 127};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (std::size_t j = 0; j < sizes.size(); ++j) {
      const Index k = sizes[(i + j) % sizes.size()];
      const Index padding = static_cast<Index>((i + 2 * j) % 4);
      for (const Kind kind : kKinds) {
        ExpectNearReference(kernels(),
                            Case(kind, sizes[i], sizes[j], k, padding));
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Larger than the blocks that Eigen cuts K, N and M into.
TEST_P(ProductTest, AgreesWithReferenceAcrossCacheBlocks) {
  for (const auto& [m, n, k] : std::vector<std::tuple<Index, Index, Index>>{
           {9, 50, 1000}, {6, 1100, 300}, {1030, 7, 290}}) {
    for (const Kind kind : kKinds) {
      ExpectNearReference(kernels(), Case(kind, m, n, k, 3));
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(ProductTest, EmptySizesAreHarmless) {
  for (const Kind kind : kKinds) {
    EXPECT_TRUE(Case(kind, 0, 5, 3).Run(kernels()).empty());
    EXPECT_TRUE(Case(kind, 5, 0, 3).Run(kernels()).empty());
    const Case no_sum(kind, 5, 3, 0);
    EXPECT_EQ(no_sum.Run(kernels()), no_sum.Run(ReferenceKernels()));
  }
}

// Non-finite operands stay in their own rows and columns, also next to the rows
// that pad a block.
TEST_P(ProductTest, NonFiniteValuesStayInTheirRow) {
  Case product(Kind::kPlain, 6, 20, 9);
  product.a[static_cast<std::size_t>(5 * product.lda + 4)] =
      std::numeric_limits<float>::infinity();
  const std::vector<float> got = product.Run(kernels());
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(std::isfinite(got[i]), i / 20 != 5) << i;
  }
}

// Rows [first, first + count) of the product as a product of its own.
Case RowRange(const Case& whole, Index first, Index count) {
  Case part(whole.kind, count, whole.n, whole.k);
  const bool transposed =
      whole.kind == Kind::kAt || whole.kind == Kind::kAtAccumulate;
  for (Index i = 0; i < (transposed ? whole.k : count); ++i) {
    for (Index j = 0; j < (transposed ? count : whole.k); ++j) {
      part.a[static_cast<std::size_t>(i * part.lda + j)] =
          whole.a[static_cast<std::size_t>(transposed
                                               ? i * whole.lda + first + j
                                               : (first + i) * whole.lda + j)];
    }
  }
  part.b = whole.b;
  part.c.assign(whole.c.begin() + first * whole.ldc,
                whole.c.begin() + (first + count) * whole.ldc);
  return part;
}

// However a host's rows are stacked or cut, a row's bits are the same.
TEST_P(ProductTest, BitsOfARowDoNotDependOnOtherRows) {
  for (const auto& [n, k] : std::vector<std::pair<Index, Index>>{
           {1, 2}, {1, 40}, {3, 5}, {10, 64}, {47, 33}, {100, 700}}) {
    for (const Kind kind : kKinds) {
      const Case whole(kind, 37, n, k);
      const auto want = Bits(whole.Run(kernels()));
      for (const auto& [first, count] :
           std::vector<std::pair<Index, Index>>{{0, 1},
                                                {1, 1},
                                                {1, 2},
                                                {2, 3},
                                                {0, 4},
                                                {3, 4},
                                                {5, 7},
                                                {4, 12},
                                                {1, 16},
                                                {0, 33},
                                                {36, 1}}) {
        const auto got = Bits(RowRange(whole, first, count).Run(kernels()));
        const std::vector<std::uint32_t> expected(
            want.begin() + first * n, want.begin() + (first + count) * n);
        ASSERT_EQ(got, expected)
            << whole.Text() << " rows " << first << " + " << count;
      }
    }
  }
}

// The cut that plans may make: B packed in ranges of columns.
TEST_P(ProductTest, PackingInRangesChangesNothing) {
  for (const PodsimProducts& products : {kernels().float32, kernels().bfloat16})
    for (const Kind kind : kKinds)
      for (const Index k : {1, 64, 700}) {
        const Case product(kind, 1, 3 * kColumnCut + 7, k);
        const PackedFloats whole = product.Pack(products, product.n);
        for (const Index columns : {kColumnCut, 2 * kColumnCut})
          EXPECT_EQ(product.Pack(products, columns), whole) << product.Text();
      }
}

// A packed side that is rounded on the way gives what a rounded one gives.
TEST_P(ProductTest, BFloat16IsAProductOfRoundedOperands) {
  for (const Kind kind : kKinds) {
    Case product(kind, 9, 101, 65, 2);
    kernels().round_bfloat16(static_cast<Index>(product.a.size()),
                             product.a.data(), product.a.data());
    Case rounded = product;
    kernels().round_bfloat16(static_cast<Index>(rounded.b.size()),
                             rounded.b.data(), rounded.b.data());
    ASSERT_NE(rounded.b, product.b);
    EXPECT_EQ(Bits(product.Run(kernels().bfloat16)),
              Bits(rounded.Run(kernels().float32)))
        << product.Text();
  }
}

// C's columns computed in panels of kColumnCut.
TEST_P(ProductTest, ColumnCutsDoNotChangeBits) {
  constexpr Index kN = 3 * kColumnCut + 7;
  for (const Index k : {5, 64, 700}) {
    for (const Kind kind : kKinds) {
      const Case whole(kind, 9, kN, k);
      const auto want = Bits(whole.Run(kernels()));
      Case pieces = whole;
      for (Index first = 0; first < kN; first += kColumnCut) {
        Case panel = whole;
        panel.n = std::min(kColumnCut, kN - first);
        const Index step = kind == Kind::kBt ? whole.ldb : 1;
        panel.b.erase(panel.b.begin(), panel.b.begin() + first * step);
        panel.c.erase(panel.c.begin(), panel.c.begin() + first);
        const std::vector<float> part = panel.Run(kernels());
        for (Index row = 0; row < whole.m; ++row) {
          std::copy_n(part.begin() + row * whole.ldc, panel.n,
                      pieces.c.begin() + row * whole.ldc + first);
        }
      }
      ASSERT_EQ(Bits(pieces.c), want) << whole.Text();
    }
  }
}

TEST_P(ProductTest, SameBitsTwiceAndFromTwoThreads) {
  for (const Kind kind : kKinds) {
    const Case product(kind, 60, 100, 333);
    const auto want = Bits(product.Run(kernels()));
    EXPECT_EQ(Bits(product.Run(kernels())), want) << product.Text();
    std::vector<float> results[2];
    {
      std::vector<std::jthread> threads;
      for (auto& result : results) {
        threads.emplace_back([&] { result = product.Run(kernels()); });
      }
    }
    for (const auto& result : results) EXPECT_EQ(Bits(result), want);
  }
}

// Where the operands lie in memory does not change bits either.
TEST_P(ProductTest, BitsDoNotDependOnAlignmentOrRowLength) {
  for (const Kind kind : kKinds) {
    const Case aligned(kind, 13, 29, 65);
    const auto want = Bits(aligned.Run(kernels()));
    Case shifted = aligned;
    shifted.lda += 1;
    shifted.ldb += 3;
    const auto spread = [](const std::vector<float>& from, Index old_length,
                           Index new_length) {
      std::vector<float> to;
      for (std::size_t i = 0; i < from.size(); ++i) {
        to.push_back(from[i]);
        if ((static_cast<Index>(i) + 1) % old_length == 0) {
          to.insert(to.end(), static_cast<std::size_t>(new_length - old_length),
                    -7.0f);
        }
      }
      return to;
    };
    shifted.a = spread(aligned.a, aligned.lda, shifted.lda);
    shifted.b = spread(aligned.b, aligned.ldb, shifted.ldb);
    EXPECT_EQ(Bits(shifted.Run(kernels())), want) << aligned.Text();
  }
}

PODSIM_INSTANTIATE_KERNEL_TEST(ProductTest);

std::uint32_t Checksum(const std::vector<float>& values) {
  return Crc32c(std::as_bytes(std::span(values)));
}

// A level's bits are the same on every machine that runs it, whatever caches
// and C library it has: hosts of one pod may differ. The figures were taken
// once on an AMD Zen 3 (32 KiB L1) with GCC 12; clang 14 gives the same.
TEST(KnownBitsTest, SameOnEveryMachine) {
  const std::map<std::string, std::vector<std::uint32_t>> known = {
      {"v2", {810545008u, 1454505320u, 4118966236u}},
      {"v3", {85410022u, 1454505320u, 4118966236u}}};
  for (const std::string& isa : RunnableLevels()) {
    if (!known.contains(isa)) continue;  // v4: none was at hand
    ASSERT_OK_AND_ASSIGN(const PodsimKernels* kernels, LoadKernels(isa));
    std::vector<float> prob(170), loss(17), correct(17);
    const std::vector<std::int32_t> labels(17, 3);
    kernels->softmax_xent(17, 10, Uniform(170, 4).data(), labels.data(),
                          prob.data(), loss.data(), correct.data());
    const std::vector<std::uint32_t> got = {
        Checksum(Case(Kind::kPlain, 13, 101, 1000).Run(*kernels)),
        Checksum(prob), Checksum(loss)};
    EXPECT_EQ(got, known.at(isa)) << isa;
  }
}

}  // namespace
}  // namespace podsim
