// The products of each runnable level against the scalar reference, and
// the promises about their bits.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "tests/models/kernels/emulated_pairs.h"
#include "tests/models/kernels/emulated_tiles.h"
#include "tests/models/kernels/product_case.h"

namespace podsim {
namespace {

constexpr float kBeyond = std::numeric_limits<float>::infinity();
constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN();

// A sum of K products and, when accumulating, one more term, in any order, with
// or without FMA, is off by at most (K + 1) u (|A| |B| + |C|), u = 2^-24, to
// first order (Higham, Accuracy and Stability, section 3.1). The reference is
// exact but for one rounding to float32 on the way out, which adds one u; one
// more covers the bound's own rounding and second-order terms.
//
// A term that is a denormal is off by 2^-150 as well, and the result too. A
// bfloat16 unit takes denormals for zero: 2^-126 at most in each of the four
// operations that a term of the sum passes (times, even or odd K, tile, block
// of K; two of pairs), and as much for a term whose operand was a denormal.
double Tolerance(const PodsimKernels& kernels, const ProductCase& product,
                 float magnitude) {
  const double terms = static_cast<double>(product.k + 1);
  const bool flushes =
      product.kind.bf16 && std::string_view(kernels.isa).front() != 'v';
  return (terms + 2) * kUnitRoundoff * magnitude +
         terms * (flushes ? 5 * 0x1p-126 : 0x1p-150);
}

void ExpectNearReference(const PodsimKernels& kernels,
                         const ProductCase& product) {
  SCOPED_TRACE(product.Text());
  const std::vector<float> got = product.Run(kernels);
  const std::vector<float> want = product.Run(ReferenceKernels());
  ProductCase magnitude = product;
  magnitude.a = Absolute(product.a);
  magnitude.b = Absolute(product.b);
  magnitude.c = Absolute(product.c);
  const std::vector<float> sums = magnitude.Run(ReferenceKernels());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const Index column = static_cast<Index>(i) % product.ldc;
    if (column >= product.n) {
      ASSERT_EQ(got[i], product.c[i]) << "wrote past a row's end, at " << i;
    } else if (std::isnan(want[i])) {
      ASSERT_TRUE(std::isnan(got[i])) << "at " << i << ": " << got[i];
    } else if (std::isinf(want[i])) {
      ASSERT_EQ(got[i], want[i]) << "at " << i;
    } else {
      ASSERT_NEAR(got[i], want[i], Tolerance(kernels, product, sums[i]))
          << "at " << i;
    }
  }
}

// Every level that this CPU runs, and the bf16 and amx levels' products on
// emulated units.
class ProductTest : public ::testing::TestWithParam<std::string> {
 public:
  static std::vector<std::string> Tables() {
    std::vector<std::string> tables = RunnableLevels();
    tables.emplace_back(kEmulatedPairs);
    tables.emplace_back(kEmulatedTiles);
    return tables;
  }

 protected:
  void SetUp() override {
    if (GetParam() == kEmulatedPairs) {
      kernels_ = &EmulatedPairKernels();
    } else if (GetParam() == kEmulatedTiles) {
      kernels_ = &EmulatedTileKernels();
    } else {
      ASSERT_OK_AND_ASSIGN(kernels_, LoadKernels(GetParam()));
    }
  }
  const PodsimKernels& kernels() const { return *kernels_; }

  static constexpr char kEmulatedPairs[] = "emulated_pairs";
  static constexpr char kEmulatedTiles[] = "emulated_tiles";

 private:
  const PodsimKernels* kernels_ = nullptr;
};

// Every pair of sizes for every two of M, N and K: a Latin square.
TEST_P(ProductTest, AgreesWithReferenceOverOddShapes) {
  const std::vector<Index> sizes = {1, 2, 15, 16, 17, 31, 33, 127};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (std::size_t j = 0; j < sizes.size(); ++j) {
      const Index k = sizes[(i + j) % sizes.size()];
      const Index padding = static_cast<Index>((i + 2 * j) % 4);
      for (const Kind kind : kKinds) {
        ExpectNearReference(kernels(),
                            ProductCase(kind, sizes[i], sizes[j], k, padding));
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Larger than the blocks that K, N and M are cut into.
TEST_P(ProductTest, AgreesWithReferenceAcrossCacheBlocks) {
  for (const auto& [m, n, k] : std::vector<std::tuple<Index, Index, Index>>{
           {9, 50, 1000}, {6, 1100, 300}, {1030, 7, 290}}) {
    for (const Kind kind : kKinds) {
      ExpectNearReference(kernels(), ProductCase(kind, m, n, k, 3));
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(ProductTest, EmptySizesAreHarmless) {
  for (const Kind kind : kKinds) {
    EXPECT_TRUE(ProductCase(kind, 0, 5, 3).Run(kernels()).empty());
    EXPECT_TRUE(ProductCase(kind, 5, 0, 3).Run(kernels()).empty());
    const ProductCase no_sum(kind, 5, 3, 0);
    EXPECT_EQ(no_sum.Run(kernels()), no_sum.Run(ReferenceKernels()));
  }
}

// Non-finite operands stay in their own rows and columns, also next to the rows
// that pad a block.
TEST_P(ProductTest, NonFiniteValuesStayInTheirRow) {
  for (const Kind kind : kKinds) {
    ProductCase product(kind, 6, 20, 9);
    product.A(5, 4) = kBeyond;
    const std::vector<float> got = product.Run(kernels());
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(std::isfinite(got[i]), i / 20 != 5) << product.Text() << i;
    }
  }
}

// One special value in every row of A and column of B, each pair of them
// somewhere at the same place of K. 2^100 squared overflows; no finite sums of
// the others do.
TEST_P(ProductTest, SpecialValuesSpreadAsInTheReference) {
  constexpr Index kM = 66, kN = 51, kK = 35;
  constexpr float kSpecial[] = {kNoNumber,  kBeyond,  -kBeyond, 0.0f,
                                -0.0f,      1.0f,     -1.0f,    0x1p-126f,
                                -0x1p-126f, 0x1p100f, -0x1p100f};
  for (const Kind kind : kKinds) {
    ProductCase product(kind, kM, kN, kK);
    for (Index row = 0; row < kM; ++row) {
      product.A(row, row / 11) = kSpecial[row % 11];
    }
    for (Index column = 0; column < kN; ++column) {
      product.B(column / 11, column) = kSpecial[column % 11];
    }
    ExpectNearReference(kernels(), product);
  }
}

// Results too small for a normal float32: kept or taken for zero.
TEST_P(ProductTest, TinyProducts) {
  for (const Kind kind : kKinds) {
    ProductCase product(kind, 18, 20, 40);
    for (float& value : product.a) value *= 0x1p-65f;
    for (float& value : product.b) value *= 0x1p-65f;
    ExpectNearReference(kernels(), product);
  }
}

// round_bfloat16 makes none, but a unit must not do worse than drop them.
TEST_P(ProductTest, DenormalOperands) {
  for (const Kind kind : kKinds) {
    ProductCase product(kind, 18, 20, 40);
    for (Index row = 0; row < 18; ++row) {
      product.A(row, row) = 0x1p-130f;
      product.A(row, row + 1) = -0x1p-133f;
    }
    ExpectNearReference(kernels(), product);
  }
}

// No sum of zeros is anything but a zero, padded or not, whatever its sign.
TEST_P(ProductTest, ZerosOfEitherSignGiveZero) {
  for (const Kind kind : kKinds) {
    ProductCase product(kind, 17, 18, 33);
    for (std::size_t i = 0; i < product.a.size(); ++i) {
      product.a[i] = i % 2 == 0 ? 0.0f : -0.0f;
    }
    const std::vector<float> got = product.Run(kernels());
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(got[i], kind.accumulates() ? product.c[i] : 0.0f);
    }
  }
}

// Rows [first, first + count) of the product as a product of its own.
ProductCase RowRange(ProductCase& whole, Index first, Index count) {
  ProductCase part(whole.kind, count, whole.n, whole.k);
  for (Index row = 0; row < count; ++row) {
    for (Index i = 0; i < whole.k; ++i) {
      part.A(row, i) = whole.A(first + row, i);
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
      ProductCase whole(kind, 37, n, k);
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
  for (const Kind kind : kKinds)
    for (const Index k : {1, 64, 700}) {
      const ProductCase product(kind, 1, 3 * kColumnCut + 7, k);
      const PackedFloats whole = product.Pack(kernels(), product.n);
      for (const Index columns : {kColumnCut, 2 * kColumnCut})
        EXPECT_EQ(product.Pack(kernels(), columns), whole) << product.Text();
    }
}

// A packed side that is rounded on the way is what a rounded one is.
TEST_P(ProductTest, PackingRoundsToBFloat16) {
  for (const Kind kind : kBf16Kinds) {
    ProductCase product(kind, 1, 101, 65, 2);
    // Around every rounding boundary of a few numbers, the ends of each class
    // of float32 among them.
    Index next = 0;
    for (const std::uint32_t high :
         {0x0000u, 0x0001u, 0x007fu, 0x0080u, 0x3f80u, 0x3f81u, 0x7f7eu,
          0x7f7fu, 0x7f80u, 0x7fbfu, 0x7fffu})
      for (const std::uint32_t low :
           {0x0000u, 0x0001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu})
        for (const std::uint32_t sign : {0x0000u, 0x8000u}) {
          product.B(next % product.k, next % product.n) =
              std::bit_cast<float>((sign | high) << 16 | low);
          next += 1;
        }
    ProductCase rounded = product;
    kernels().round_bfloat16(static_cast<Index>(rounded.b.size()),
                             rounded.b.data(), rounded.b.data());
    ASSERT_NE(Bits(rounded.b), Bits(product.b));
    EXPECT_EQ(product.Pack(kernels(), product.n),
              rounded.Pack(kernels(), rounded.n))
        << product.Text();
  }
}

TEST_P(ProductTest, BFloat16IsAProductOfRoundedOperands) {
  for (const Kind kind : kBf16Kinds) {
    const ProductCase product(kind, 9, 101, 65, 2);
    ProductCase rounded = product;
    RoundToBfloat16(rounded.b);
    ASSERT_NE(rounded.b, product.b);
    const auto got = Bits(product.Run(kernels()));
    EXPECT_EQ(got, Bits(rounded.Run(kernels()))) << product.Text();
    // Without a matrix unit, float32's.
    if (kernels().bfloat16.multiply != kernels().float32.multiply) continue;
    rounded.kind.bf16 = false;
    EXPECT_EQ(got, Bits(rounded.Run(kernels()))) << product.Text();
  }
}

// C's columns computed in panels of kColumnCut.
TEST_P(ProductTest, ColumnCutsDoNotChangeBits) {
  constexpr Index kN = 3 * kColumnCut + 7;
  for (const Index k : {5, 64, 700}) {
    for (const Kind kind : kKinds) {
      const ProductCase whole(kind, 9, kN, k);
      const auto want = Bits(whole.Run(kernels()));
      ProductCase pieces = whole;
      for (Index first = 0; first < kN; first += kColumnCut) {
        ProductCase panel = whole;
        panel.n = std::min(kColumnCut, kN - first);
        const Index step = kind.b_transposed() ? whole.ldb : 1;
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
    const ProductCase product(kind, 60, 100, 333);
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
    const ProductCase aligned(kind, 13, 29, 65);
    const auto want = Bits(aligned.Run(kernels()));
    ProductCase shifted = aligned;
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

INSTANTIATE_TEST_SUITE_P(Tables, ProductTest,
                         ::testing::ValuesIn(ProductTest::Tables()),
                         [](const auto& info) { return info.param; });

// What float32 sums are: one chain of multiply-adds over K for each element,
// from zero or from what C held; fused but at v2, which has no FMA.
void ExpectChains(const PodsimKernels& kernels, ProductCase product) {
  const bool fused = std::string(kernels.isa) != "v2";
  const std::vector<float> got = product.Run(kernels);
  for (Index row = 0; row < product.m; ++row) {
    for (Index column = 0; column < product.n; ++column) {
      const auto at = static_cast<std::size_t>(row * product.ldc + column);
      float sum = product.kind.accumulates() ? product.c[at] : 0.0f;
      for (Index i = 0; i < product.k; ++i) {
        const float a = product.A(row, i), b = product.B(i, column);
        sum = fused ? std::fma(a, b, sum) : sum + a * b;
      }
      ASSERT_EQ(got[at], sum)
          << product.Text() << ": " << row << ", " << column;
    }
  }
}

TEST(Float32SumsTest, AreChainsInOrderOfK) {
  for (const std::string& isa : RunnableLevels()) {
    ASSERT_OK_AND_ASSIGN(const PodsimKernels* kernels, LoadKernels(isa));
    for (const auto& [m, n, k] : std::vector<std::tuple<Index, Index, Index>>{
             {1, 1, 1}, {13, 37, 1100}, {150, 5, 600}, {5, 70, 33}}) {
      for (const Kind kind : kKinds) {
        if (!kind.bf16) ExpectChains(*kernels, ProductCase(kind, m, n, k));
        if (HasFatalFailure()) return;
      }
    }
  }
}

std::uint32_t Checksum(const std::vector<float>& values) {
  return Crc32c(std::as_bytes(std::span(values)));
}

class KnownBitsTest : public KernelTest {};

// A level's bits are the same on every machine that runs it, whatever caches
// and C library it has: hosts of one pod may differ. Levels with FMA agree in
// float32 among each other. The figures were taken once on an AMD Zen 3 with
// GCC 12.
TEST_P(KnownBitsTest, SameOnEveryMachine) {
  const std::vector<std::uint32_t> fused = {2130974700u, 1454505320u,
                                            4118966236u};
  const std::vector<std::uint32_t> unfused = {1576405302u, 1454505320u,
                                              4118966236u};
  std::vector<float> prob(170), loss(17), correct(17);
  const std::vector<std::int32_t> labels(17, 3);
  kernels().softmax_xent(17, 10, Uniform(170, 4).data(), labels.data(),
                         prob.data(), loss.data(), correct.data());
  const std::vector<std::uint32_t> got = {
      Checksum(ProductCase({Op::kPlain}, 13, 101, 1000).Run(kernels())),
      Checksum(prob), Checksum(loss)};
  EXPECT_EQ(got, GetParam() == "v2" ? unfused : fused);
}

PODSIM_INSTANTIATE_KERNEL_TEST(KnownBitsTest);

}  // namespace
}  // namespace podsim
