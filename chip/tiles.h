// What tiles cost: of arrays in HBM, and of products on the matrix unit.
#ifndef PODSIM_CHIP_TILES_H_
#define PODSIM_CHIP_TILES_H_

#include <cstdint>

#include "models/ops/op_cost.h"
#include "models/ops/value_type.h"

namespace podsim {

// Bytes that a value takes in HBM, and that moving all of it moves.
//
// Two of its dimensions lie in tiles of 8 sublanes x 128 lanes of 4 bytes (16
// sublanes in bfloat16, 32 of bytes), whichever two waste least: the lanes hold
// the batch of one activation and the features of another. A dimension of 2 or
// 4 has tiles of its own height. A vector lies in tiles of 1,024 elements, a
// short one in a tile of 1 KiB or of the next power of two. [XLA's layouts in
// the op profiles of google/paragraph: bf16[128,56,56,64]{0,3,2,1:T(8,128)},
// bf16[128,56,56,256]{3,0,2,1:T(8,128)}, f32[2,1024]{1,0:T(2,128)},
// f32[64]{0:T(256)}, f32[2048]{0:T(1024)}; 16 sublanes in bfloat16: assumed]
//
// `rows`: B of one core.
double BytesInHbm(const ValueType& type, std::int64_t rows);

// FLOPs that the matrix unit spends on so many useful multiply-adds of the
// product: rows (M) by eights, N by whole sides of the unit, K by at least one
// side; six passes for float32. `side` 1: without padding.
//
// [ResNet-50's profile, google/paragraph: of two convolutions of 29.6 GFLOP
// the one with 128 channels takes 513 us, that with 64 channels 1,003 us, so N
// is padded, and K = 576 is not; six products of bfloat16 parts make a float32
// one, as XLA's highest precision does it: assumed]
double MatrixUnitFlops(const MatrixProduct& product, double multiply_adds,
                       std::int64_t side);

}  // namespace podsim

#endif  // PODSIM_CHIP_TILES_H_
