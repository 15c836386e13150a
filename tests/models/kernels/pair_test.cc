// What the bf16 level adds, on any machine: pairs, and the order of its sums.
// That the products agree with the reference is in product_test.cc.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "models/kernels/pair_pack.h"
#include "tests/models/kernels/emulated_pairs.h"
#include "tests/models/kernels/product_case.h"

namespace podsim {
namespace {

using module::PairCount;
using module::PairsAcrossK;
using module::PairsAlongK;

// Every value of the matrix is another bfloat16 number.
std::uint32_t Half(Index line, Index k) {
  return static_cast<std::uint32_t>(0x1000 + 200 * line + k);
}

float Value(Index line, Index k) {
  return std::bit_cast<float>(Half(line, k) << 16);
}

constexpr float kUntouched = -1.0f;

TEST(PairsTest, EveryValueIsInItsPlaceAndNothingElseIsWritten) {
  constexpr Index kStride = 100;
  for (const Index lines : {1, 2, 7, 16, 19}) {
    for (const Index k : {1, 2, 3, 31, 32, 33, 70}) {
      std::vector<float> along(kStride * kStride, kUntouched), across = along;
      for (Index line = 0; line < lines; ++line) {
        for (Index i = 0; i < k; ++i) {
          along[static_cast<std::size_t>(line * kStride + i)] = Value(line, i);
          across[static_cast<std::size_t>(i * kStride + line)] = Value(line, i);
        }
      }
      std::vector<float> rows(kStride * kStride, kUntouched), columns = rows;
      PairsAlongK(lines, k, along.data(), kStride, rows.data(), kStride);
      PairsAcrossK(lines, k, across.data(), kStride, columns.data(), kStride);
      for (Index line = 0; line < kStride; ++line) {
        for (Index pair = 0; pair < kStride; ++pair) {
          const bool there = line < lines && pair < PairCount(k);
          const std::uint32_t high =
              2 * pair + 1 < k ? Half(line, 2 * pair + 1) : 0;
          const std::uint32_t want =
              there ? Half(line, 2 * pair) | high << 16
                    : std::bit_cast<std::uint32_t>(kUntouched);
          for (const float got :
               {rows[static_cast<std::size_t>(line * kStride + pair)],
                columns[static_cast<std::size_t>(pair * kStride + line)]}) {
            ASSERT_EQ(std::bit_cast<std::uint32_t>(got), want)
                << "line " << line << " of " << lines << ", pair " << pair
                << ", K " << k;
          }
        }
      }
    }
  }
}

// The manual's order and rounding, one lane. A pair is (lower, upper).
float Dot(float left_low, float left_high, float right_low, float right_high,
          float sum) {
  const auto pair = [](float low, float high) {
    return std::bit_cast<std::uint32_t>(low) >> 16 |
           (std::bit_cast<std::uint32_t>(high) & 0xffff0000u);
  };
  return EmulateVdpbf16ps(pair(left_low, left_high),
                          pair(right_low, right_high), sum);
}

TEST(EmulatedPairTest, AddsTheUpperProductFirst) {
  constexpr float kBig = 0x1p30f;
  EXPECT_EQ(Dot(1, -kBig, 1, 1, kBig), 1.0f);
  EXPECT_EQ(Dot(-kBig, 1, 1, 1, kBig), 0.0f);  // the one was lost
}

TEST(EmulatedPairTest, FusesEachProduct) {
  // (1 + 2^-7)^2 has a last bit that a product rounded to bfloat16 had not.
  constexpr float kOneUp = 1 + 0x1p-7f;
  EXPECT_EQ(Dot(0, kOneUp, 0, kOneUp, -1), 0x1p-6f + 0x1p-14f);
}

TEST(EmulatedPairTest, DenormalsCountAsZero) {
  EXPECT_EQ(Dot(0x1p-130f, 0, 0x1p100f, 0, 0), 0.0f);  // input
  EXPECT_EQ(Dot(0x1p-70f, 0, 0x1p-70f, 0, 0), 0.0f);   // output
  EXPECT_EQ(Dot(0x1p-63f, 0, 0x1p-63f, 0, 0), 0x1p-126f);
  EXPECT_EQ(Dot(0, 0, 0, 0, 0x1p-130f), 0.0f);  // what was there
}

TEST(EmulatedPairTest, NanAndInfinitySpread) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(std::isnan(Dot(kInf, 0, 0, 0, 0)));
  EXPECT_TRUE(std::isnan(Dot(kInf, kInf, 1, -1, 0)));
  EXPECT_EQ(Dot(kInf, 1, -2, 5, 3), -kInf);
}

// Operands as wide apart as their products can be without overflow, so that
// what is flushed, rounded and in which order shows.
void SpreadOut(std::vector<float>& values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::ldexp(values[i], static_cast<int>(i * 7 % 120) - 70);
  RoundToBfloat16(values);
}

// One chain over the pairs of K for each element, from zero or what C held: on
// the emulated unit and, where there is one, on the CPU's own.
TEST(PairSumsTest, AreChainsInOrderOfK) {
  std::vector<const PodsimKernels*> tables = {&EmulatedPairKernels()};
  for (const std::string& isa : RunnableLevels()) {
    if (isa != "bf16") continue;
    ASSERT_OK_AND_ASSIGN(const PodsimKernels* own, LoadKernels(isa));
    tables.push_back(own);
  }
  for (const auto& [m, n, k] : std::vector<std::tuple<Index, Index, Index>>{
           {1, 1, 1}, {13, 37, 1101}, {150, 5, 600}, {5, 70, 33}}) {
    for (const Kind kind : kBf16Kinds) {
      ProductCase product(kind, m, n, k);
      SpreadOut(product.a);
      SpreadOut(product.b);
      std::vector<float> want = product.c;
      for (Index row = 0; row < m; ++row) {
        for (Index column = 0; column < n; ++column) {
          float& sum =
              want[static_cast<std::size_t>(row * product.ldc + column)];
          if (!kind.accumulates()) sum = 0;
          for (Index i = 0; i < k; i += 2) {
            const bool odd = i + 1 == k;
            sum = Dot(product.A(row, i), odd ? 0 : product.A(row, i + 1),
                      product.B(i, column), odd ? 0 : product.B(i + 1, column),
                      sum);
          }
        }
      }
      for (const PodsimKernels* table : tables)
        ASSERT_EQ(Bits(product.Run(*table)), Bits(want)) << product.Text();
    }
  }
}

}  // namespace
}  // namespace podsim
