// Which values a chip keeps in a memory of its own between kernels, so that
// they cross no HBM. Pure.
//
//   program = KeptOnChip(graph, std::move(program), /*rows=*/128, 96 << 20);
//   program.kernels[3].writes[0].on_chip   what the fourth writes stays
#ifndef PODSIM_CHIP_ON_CHIP_H_
#define PODSIM_CHIP_ON_CHIP_H_

#include <cstdint>

#include "chip/graph.h"
#include "chip/program.h"

namespace podsim {

// `program` with ChipTransfer::on_chip set anew, whatever it said before; of
// values that stay it is set of each transfer.
//
// A value may stay if the step computes it and a later kernel reads it, from
// the kernel that writes it to the last that reads it, and only whole. Values
// that are written over one another are one; weights, inputs, outputs,
// gradients, the optimizer's state, and what a collective sums in mid-step do
// not stay, nor does what is written over them. (A weight can be fetched while
// the kernel before it runs, but it crosses HBM all the same.) What moves most
// bytes for each byte held and kernel that it is held for comes first; of equal
// ones the first in the graph. It stays if all that stays, with it, takes no
// more than `capacity` bytes while any kernel runs. To read and write it there
// takes no time.
//
// [XLA keeps "HLO temporaries and intermediate results" in the vector memory
// that the running kernel leaves, openxla/xla, docs/errors/error_1001.md; by
// which order is not published: assumed. As a choice one by one it is not the
// best there is: with a little more capacity it may move more.]
//
// `rows`: B of one core, of which bytes held are counted; in tiles, as in HBM.
// With a capacity of 0 nothing stays. n log n in kernels and values.
ChipProgram KeptOnChip(const ChipGraph& graph, ChipProgram program,
                       std::int64_t rows, double capacity);

}  // namespace podsim

#endif  // PODSIM_CHIP_ON_CHIP_H_
