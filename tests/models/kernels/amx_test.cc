// What the amx level adds, on any machine: packing, the product over an
// emulated tile unit, and over the CPU's own where there is one, and the trial
// that finds a unit out. That the products agree with the reference is in
// product_test.cc.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "models/kernels/amx_product.h"
#include "tests/models/kernels/emulated_tiles.h"
#include "tests/models/kernels/kernel_fixture.h"
#include "tests/models/kernels/product_case.h"

namespace podsim {
namespace {

using module::kDepthBlock;
using module::kTileDepth;
using module::kTileRows;
using module::Operand;
using module::PackColumns;
using module::PackedTiles;
using module::PackTile;
using module::Side;
using module::Strips;
using module::Tile;
using module::TileCount;

constexpr float kInf = std::numeric_limits<float>::infinity();

// Element (line, k) of a packed tile, by the layout that amx_pack.h draws.
std::uint32_t TileHalf(const Tile& tile, Side side, Index line, Index k) {
  const std::uint32_t pair =
      side == Side::kA ? tile.pairs[line][k / 2] : tile.pairs[k / 2][line];
  return k % 2 == 0 ? pair & 0xffffu : pair >> 16;
}

// Every value of the matrix is another bfloat16 number.
class PackTest : public ::testing::Test {
 protected:
  static constexpr Index kLines = 40, kDepth = 70, kStride = 75;

  static float Value(Index line, Index k) {
    return std::bit_cast<float>(
        static_cast<std::uint32_t>(0x1000 + line * kDepth + k) << 16);
  }

  static std::vector<float> Matrix(bool contiguous_k) {
    std::vector<float> matrix(kStride * kStride, -1.0f);
    for (Index line = 0; line < kLines; ++line) {
      for (Index k = 0; k < kDepth; ++k) {
        matrix[static_cast<std::size_t>(contiguous_k ? line * kStride + k
                                                     : k * kStride + line)] =
            Value(line, k);
      }
    }
    return matrix;
  }
};

TEST_F(PackTest, EveryValueIsInItsPlaceAndTheRestIsZero) {
  for (const Side side : {Side::kA, Side::kB}) {
    for (const bool contiguous_k : {true, false}) {
      const std::vector<float> matrix = Matrix(contiguous_k);
      const Operand operand = {matrix.data(), kStride, contiguous_k};
      for (const Index lines : {1, 2, 15, 16}) {
        for (const Index depth : {1, 2, 15, 16, 17, 31, 32}) {
          Tile tile;
          std::fill_n(&tile.pairs[0][0], 256, 0xdeadbeefu);
          PackTile(side, operand, 3, lines, 5, depth, tile);
          for (Index line = 0; line < kTileRows; ++line) {
            for (Index k = 0; k < kTileDepth; ++k) {
              const std::uint32_t want =
                  line < lines && k < depth
                      ? std::bit_cast<std::uint32_t>(Value(3 + line, 5 + k)) >>
                            16
                      : 0;
              ASSERT_EQ(TileHalf(tile, side, line, k), want)
                  << "line " << line << " of " << lines << ", K " << k << " of "
                  << depth << ", contiguous K " << contiguous_k;
            }
          }
        }
      }
    }
  }
}

// Signs, NaN payloads and infinities are bits like any others.
TEST_F(PackTest, TakesTheHighHalfOfAWhateverItIs) {
  std::vector<float> values;
  for (const std::uint32_t high :
       {0x8000u, 0x7f80u, 0xff80u, 0x7fc1u, 0xffffu, 0x0001u, 0x7f7fu}) {
    values.push_back(std::bit_cast<float>(high << 16));
  }
  Tile tile;
  PackTile(Side::kA, {values.data(), 7, true}, 0, 1, 0, 7, tile);
  for (Index i = 0; i < 7; ++i) {
    EXPECT_EQ(
        TileHalf(tile, Side::kA, 0, i),
        std::bit_cast<std::uint32_t>(values[static_cast<std::size_t>(i)]) >>
            16);
  }
}

// B's place in packed memory: column strips, each with all of K.
TEST_F(PackTest, AColumnRangeIsItsOwnStrips) {
  const std::vector<float> matrix = Matrix(false);
  const Operand b = {matrix.data(), kStride, false};
  std::vector<Tile> packed(PackedTiles(kLines, kDepth));
  for (Tile& tile : packed) std::fill_n(&tile.pairs[0][0], 256, 0xdeadbeefu);
  PackColumns(kDepth, b, 16, 32, packed.data());
  const Index along_k = TileCount(kDepth, kTileDepth);
  for (Index i = 0; i < static_cast<Index>(packed.size()); ++i) {
    const Index strip = i / along_k, k = i % along_k * kTileDepth;
    EXPECT_EQ(
        TileHalf(packed[i], Side::kB, 0, 0),
        strip == 1 ? std::bit_cast<std::uint32_t>(Value(16, k)) >> 16 : 0xbeefu)
        << i;
  }
}

// One element of TDPBF16PS: K values of A's row 0 and B's column 0.
float TileDot(const std::vector<float>& a, const std::vector<float>& b,
              float start) {
  Tile tile_a, tile_b;
  const Index k = static_cast<Index>(a.size());
  PackTile(Side::kA, {a.data(), k, true}, 0, 1, 0, k, tile_a);
  PackTile(Side::kB, {b.data(), k, true}, 0, 1, 0, k, tile_b);
  float sums[16][16] = {{start}};
  EmulateTdpbf16ps(tile_a, tile_b, sums);
  return sums[0][0];
}

// The manual's order: even and odd K apart, then together, then to the result.
TEST(EmulatedTileTest, SumsEvenAndOddKApart) {
  constexpr float kBig = 0x1p30f;
  // In the order of K the ones would be lost beside the big number.
  EXPECT_EQ(TileDot({kBig, 1, -kBig, 1}, {1, 1, 1, 1}, 0), 2.0f);
  EXPECT_EQ(TileDot({1, 1, 1, 1}, {1, 1, 1, 1}, kBig), kBig);
  EXPECT_EQ(TileDot({kBig, 1, 0, -kBig}, {1, 1, 1, 1}, 0), 0.0f);
}

TEST(EmulatedTileTest, RoundsEachSumOnce) {
  EXPECT_EQ(TileDot({0x1p24f, 0, 1, 0}, {1, 1, 1, 1}, 0),
            0x1p24f);  // tie: even
  EXPECT_EQ(TileDot({0x1p24f, 0, 0x1.02p0f, 0}, {1, 1, 1, 1}, 0), 0x1p24f + 2);
}

TEST(EmulatedTileTest, DenormalsCountAsZero) {
  EXPECT_EQ(TileDot({0x1p-130f}, {0x1p100f}, 0), 0.0f);  // input
  EXPECT_EQ(TileDot({0x1p-70f}, {0x1p-70f}, 0), 0.0f);   // output
  EXPECT_EQ(TileDot({0x1p-63f}, {0x1p-63f}, 0), 0x1p-126f);
  EXPECT_EQ(TileDot({0}, {0}, 0x1p-130f), 0.0f);  // what was there
}

TEST(EmulatedTileTest, NanAndInfinitySpread) {
  EXPECT_TRUE(std::isnan(TileDot({kInf}, {0}, 0)));
  EXPECT_TRUE(std::isnan(TileDot({kInf, kInf}, {1, -1}, 0)));
  EXPECT_EQ(TileDot({kInf, 1}, {-2, 5}, 3), -kInf);
}

// The emulated unit's and, where there is one, the CPU's own.
std::vector<const PodsimKernels*> TablesWithTiles() {
  std::vector<const PodsimKernels*> tables = {&EmulatedTileKernels()};
  for (const std::string& isa : RunnableLevels()) {
    if (isa != "amx") continue;
    const absl::StatusOr<const PodsimKernels*> own = LoadKernels(isa);
    EXPECT_TRUE(own.ok()) << own.status();
    if (own.ok()) tables.push_back(*own);
  }
  return tables;
}

// A sum's order depends on K alone, so that a block's bits are those of the
// unit's steps, one after the other, and blocks are added in order.
TEST(TileProductTest, SumsAsItsHeaderSays) {
  constexpr Index kK = 2 * kDepthBlock + 40;
  const ProductCase product({Op::kBt, true}, 1, 1, kK);
  float want = 0;
  for (Index block = 0; block < kK; block += kDepthBlock) {
    float sum = 0;
    for (Index i = block; i < std::min(kK, block + kDepthBlock);
         i += kTileDepth) {
      const auto slice = [&](const std::vector<float>& from) {
        return std::vector<float>(
            from.begin() + i,
            from.begin() + std::min({kK, i + kTileDepth, block + kDepthBlock}));
      };
      sum = TileDot(slice(product.a), slice(product.b), sum);
    }
    want = block == 0 ? sum : want + sum;
  }
  for (const PodsimKernels* table : TablesWithTiles()) {
    EXPECT_EQ(Bits(product.Run(*table)), Bits({want}));
  }
}

// The same values give the same bits however they lie in memory.
TEST(TileProductTest, TransposedOperandsGiveTheSameBits) {
  ProductCase plain({Op::kPlain, true}, 37, 50, 600);
  const auto want = Bits(plain.Run(EmulatedTileKernels()));
  for (const Op op : {Op::kBt, Op::kAt}) {
    ProductCase other({op, true}, 37, 50, 600);
    for (Index i = 0; i < 600; ++i) {
      for (Index row = 0; row < 37; ++row) other.A(row, i) = plain.A(row, i);
      for (Index column = 0; column < 50; ++column) {
        other.B(i, column) = plain.B(i, column);
      }
    }
    for (const PodsimKernels* table : TablesWithTiles()) {
      EXPECT_EQ(Bits(other.Run(*table)), want) << other.kind.Text();
    }
  }
}

// Units that are wrong in one way each.
struct ForgetsToClear : EmulatedTileUnit {
  template <int kDown, int kAcross>
  void Clear() {}
};

struct RepeatsTheFirstStrip : EmulatedTileUnit {
  template <int kDown, int kAcross>
  void Step(Strips a, Strips b) {
    EmulatedTileUnit::Step<kDown, kAcross>({a.tiles, 0}, {b.tiles, 0});
  }
};

struct DropsOddK : EmulatedTileUnit {
  template <int kDown, int kAcross>
  void Step(Strips a, Strips b) {
    Tile even[2] = {*a.tiles, *a.From(kDown - 1, 0).tiles};
    for (Tile& tile : even) {
      for (auto& row : tile.pairs) {
        for (std::uint32_t& pair : row) pair &= 0xffffu;
      }
    }
    EmulatedTileUnit::Step<kDown, kAcross>({even, 1}, b);
  }
};

struct StoresNothing : EmulatedTileUnit {
  template <int kDown, int kAcross>
  void Store(float* to, std::int64_t stride) const {
    for (int row = 0; row < 16 * kDown; ++row) {
      std::fill_n(to + row * stride, 16 * kAcross, 0.0f);
    }
  }
};

TEST(TileTrialTest, PassesOnAUnitThatIsRightAndOnNoOther) {
  EXPECT_EQ(module::TileTrial<EmulatedTileUnit>(), 1);
  EXPECT_EQ(module::TileTrial<ForgetsToClear>(), 0);
  EXPECT_EQ(module::TileTrial<RepeatsTheFirstStrip>(), 0);
  EXPECT_EQ(module::TileTrial<DropsOddK>(), 0);
  EXPECT_EQ(module::TileTrial<StoresNothing>(), 0);
}

}  // namespace
}  // namespace podsim
