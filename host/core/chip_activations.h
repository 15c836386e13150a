// What a core of the chip holds between the ops of a training step. Pure.
//
// Each tensor is held from the op that makes it to the last one that reads it,
// in the Program's order and in float32; per-row results stay to the end.
// Unlike the emulator, which takes many ops through a panel of rows at a time,
// a chip ends one op before the next. Rounding to bfloat16, reshaping and
// repeating make no copy, an element-wise op writes over an operand that nobody
// reads again, and what element-wise ops can make again in passing is not held
// (made_again.h). A compiler that makes more again, by rematerialisation or
// with products and convolutions, holds less.
#ifndef PODSIM_HOST_CORE_CHIP_ACTIVATIONS_H_
#define PODSIM_HOST_CORE_CHIP_ACTIVATIONS_H_

#include <cstdint>

#include "models/graph/program.h"

namespace podsim {

// At the fullest moment, elements: those of tensors without a batch, and those
// per row of the batch.
struct ChipActivations {
  std::int64_t elements = 0;
  std::int64_t elements_per_row = 0;
};

ChipActivations ActivationsOf(const Program& program);

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_CHIP_ACTIVATIONS_H_
