// A tile unit in plain C++, for machines without AMX: TDPBF16PS as Intel's
// "64 and IA-32 Architectures Software Developer's Manual", volume 2, defines
// it in its operation section. Per element of the result, the lower and the
// upper halves of the pairs are summed apart, from zero, in the order of K,
// with fused multiply-adds; the two sums are added, and that to the result.
// Round to nearest even; denormal inputs and outputs count as zero.
#ifndef PODSIM_TESTS_MODELS_KERNELS_EMULATED_TILES_H_
#define PODSIM_TESTS_MODELS_KERNELS_EMULATED_TILES_H_

#include <algorithm>
#include <cstdint>

#include "models/kernels/amx_pack.h"
#include "models/kernels/kernel_table.h"

namespace podsim {

// sums += a * b, all three as tiles.
void EmulateTdpbf16ps(const module::Tile& a, const module::Tile& b,
                      float (&sums)[16][16]);

// A unit of models/kernels/amx_product.h. Its sums start as garbage, as those
// of a real unit may.
class EmulatedTileUnit {
 public:
  EmulatedTileUnit();

  template <int kDown, int kAcross>
  void Clear() {
    for (int down = 0; down < kDown; ++down) {
      for (int across = 0; across < kAcross; ++across) {
        std::fill_n(&sums_[down][across][0][0], 16 * 16, 0.0f);
      }
    }
  }

  template <int kDown, int kAcross>
  void Step(module::Strips a, module::Strips b) {
    for (int down = 0; down < kDown; ++down) {
      for (int across = 0; across < kAcross; ++across) {
        EmulateTdpbf16ps(*a.From(down, 0).tiles, *b.From(across, 0).tiles,
                         sums_[down][across]);
      }
    }
  }

  template <int kDown, int kAcross>
  void Store(float* to, std::int64_t stride) const {
    for (int row = 0; row < 16 * kDown; ++row) {
      for (int across = 0; across < kAcross; ++across) {
        std::copy_n(sums_[row / 16][across][row % 16], 16,
                    to + row * stride + std::ptrdiff_t{16} * across);
      }
    }
  }

 private:
  float sums_[2][2][16][16];
};

// The reference's table with bfloat16 products on the emulated unit; its isa is
// "amx", as the same bounds hold.
const PodsimKernels& EmulatedTileKernels();

}  // namespace podsim

#endif  // PODSIM_TESTS_MODELS_KERNELS_EMULATED_TILES_H_
