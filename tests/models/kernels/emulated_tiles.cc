#include "tests/models/kernels/emulated_tiles.h"

#include <cmath>
#include <limits>

#include "models/kernels/amx_product.h"
#include "models/kernels/reference.h"
#include "tests/models/kernels/bfloat16_pair.h"

namespace podsim {
namespace {

PodsimKernels MakeTileTable() {
  PodsimKernels table = ReferenceKernels();
  table.isa = "amx";
  table.bfloat16 = module::kTileProducts<EmulatedTileUnit>;
  return table;
}

}  // namespace

void EmulateTdpbf16ps(const module::Tile& a, const module::Tile& b,
                      float (&sums)[16][16]) {
  for (int row = 0; row < 16; ++row) {
    float low[16] = {}, high[16] = {};
    for (int pair = 0; pair < 16; ++pair) {
      const std::uint32_t x = a.pairs[row][pair];
      for (int column = 0; column < 16; ++column) {
        const std::uint32_t y = b.pairs[pair][column];
        low[column] = WithoutDenormal(std::fma(Low(x), Low(y), low[column]));
        high[column] =
            WithoutDenormal(std::fma(High(x), High(y), high[column]));
      }
    }
    for (int column = 0; column < 16; ++column) {
      const float both = WithoutDenormal(low[column] + high[column]);
      sums[row][column] =
          WithoutDenormal(WithoutDenormal(sums[row][column]) + both);
    }
  }
}

EmulatedTileUnit::EmulatedTileUnit() {
  std::fill_n(&sums_[0][0][0][0], 2 * 2 * 16 * 16,
              std::numeric_limits<float>::quiet_NaN());
}

const PodsimKernels& EmulatedTileKernels() {
  static const PodsimKernels& table = *new PodsimKernels(MakeTileTable());
  return table;
}

}  // namespace podsim
