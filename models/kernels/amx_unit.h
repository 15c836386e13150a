// The CPU's own tile unit: AMX-TILE and AMX-BF16. Only for files compiled with
// both, and only where CpuIsa() says "amx".
#ifndef PODSIM_MODELS_KERNELS_AMX_UNIT_H_
#define PODSIM_MODELS_KERNELS_AMX_UNIT_H_

#include <immintrin.h>

#include <algorithm>
#include <cstdint>

#include "models/kernels/amx_pack.h"

namespace podsim::module {

// A unit of amx_product.h. Tiles 0 to 3 hold sums (two by two), 4 and 5 tiles
// of A, 6 and 7 of B. Configured while it lives: one at a time per thread.
// The intrinsics take tile numbers as literals.
class AmxUnit {
 public:
  AmxUnit() {
    Config config;
    std::fill_n(config.row_bytes, kTiles, kRowBytes);
    std::fill_n(config.rows, kTiles, kTileRows);
    Settle(&config);
    _tile_loadconfig(&config);
  }
  ~AmxUnit() { _tile_release(); }
  AmxUnit(const AmxUnit&) = delete;
  AmxUnit& operator=(const AmxUnit&) = delete;

  template <int kDown, int kAcross>
  void Clear() {
    _tile_zero(0);
    if constexpr (kAcross == 2) _tile_zero(1);
    if constexpr (kDown == 2) _tile_zero(2);
    if constexpr (kDown == 2 && kAcross == 2) _tile_zero(3);
  }

  template <int kDown, int kAcross>
  void Step(Strips a, Strips b) {
    Settle(a.tiles);
    Settle(b.tiles);
    _tile_loadd(4, a.tiles, kRowBytes);
    _tile_loadd(6, b.tiles, kRowBytes);
    _tile_dpbf16ps(0, 4, 6);
    if constexpr (kAcross == 2) {
      _tile_loadd(7, b.tiles + b.next, kRowBytes);
      _tile_dpbf16ps(1, 4, 7);
    }
    if constexpr (kDown == 2) {
      _tile_loadd(5, a.tiles + a.next, kRowBytes);
      _tile_dpbf16ps(2, 5, 6);
    }
    if constexpr (kDown == 2 && kAcross == 2) _tile_dpbf16ps(3, 5, 7);
  }

  template <int kDown, int kAcross>
  void Store(float* to, std::int64_t stride) {
    const auto row_bytes = stride * static_cast<std::int64_t>(sizeof(float));
    float* below = to + kTileRows * stride;
    _tile_stored(0, to, row_bytes);
    if constexpr (kAcross == 2) _tile_stored(1, to + kTileRows, row_bytes);
    if constexpr (kDown == 2) _tile_stored(2, below, row_bytes);
    if constexpr (kDown == 2 && kAcross == 2) {
      _tile_stored(3, below + kTileRows, row_bytes);
    }
  }

 private:
  static constexpr int kTiles = 8;
  static constexpr int kRowBytes = 64;

  // What LDTILECFG reads (Intel's manual, volume 2, on that instruction).
  struct alignas(64) Config {
    std::uint8_t palette = 1;
    std::uint8_t start_row = 0;
    std::uint8_t reserved[14] = {};
    std::uint16_t row_bytes[16] = {};
    std::uint8_t rows[16] = {};
  };
  static_assert(sizeof(Config) == 64);

  // GCC 12's intrinsics do not tell the compiler that they read memory, so it
  // could leave out or put off what was written there.
  static void Settle(const void* address) {
    asm volatile("" : : "r"(address) : "memory");
  }
};

}  // namespace podsim::module

#endif  // PODSIM_MODELS_KERNELS_AMX_UNIT_H_
