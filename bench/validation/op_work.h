// The work of a measured op, as far as its row tells it. Pure.
#ifndef PODSIM_BENCH_VALIDATION_OP_WORK_H_
#define PODSIM_BENCH_VALIDATION_OP_WORK_H_

#include <string>

#include "bench/validation/op_profiles.h"
#include "chip/kernel_time.h"

namespace podsim::validation {

// How many times the FLOPs of a convolution's kernel the matrix unit spends,
// as the shapes in `hlo` tell it: the axis that is summed over is padded to the
// unit's side.
//
// The convolution itself is inside the fusion; what is seen is a filter of
// [height, width, in, out] (square, up to 7 x 7) and features of
// [batch, height, width, features]:
// - a result is a filter (a gradient of weights): rows are summed over, and the
//   unit's columns take `in` or `out`, whichever wastes less;
// - a result has `out` features (the layer itself): `in` is summed over;
// - a result has `in` features (a gradient of inputs): `out` is.
// 1 where none of it is seen, as for products of two axes, and where fewer than
// 8 channels are summed over (images): how the compiler packs those is not
// known.
double PaddingOf(const std::string& hlo, int matrix_unit_side);

// Products and convolutions spend their FLOPs, padded, on the matrix unit, with
// those of what is fused into them; all other ops on the vector unit.
KernelWork WorkOfOp(const OpRow& op, int matrix_unit_side);

}  // namespace podsim::validation

#endif  // PODSIM_BENCH_VALIDATION_OP_WORK_H_
