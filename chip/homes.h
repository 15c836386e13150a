// Where values live in a chip's HBM, from which kernel to which, and how much
// that is at the fullest moment. Pure.
#ifndef PODSIM_CHIP_HOMES_H_
#define PODSIM_CHIP_HOMES_H_

#include <cstdint>
#include <vector>

#include "chip/graph.h"
#include "chip/program.h"

namespace podsim {

struct ChipHome {
  ChipValueId value = kNoChipValue;  // the first that lives there
  double bytes = 0;                  // in tiles
  // Kernels of the ChipProgram, both included.
  std::int32_t first = 0;
  std::int32_t last = 0;
};

// By value: the first value that lies where it does, which it is written over,
// perhaps by way of others; of most the value itself. Linear.
std::vector<ChipValueId> FirstThere(const ChipGraph& graph,
                                    const ChipProgram& program);

// Of every value that is in HBM at all, in the graph's order; values that are
// written over one another share one, and what stays on chip has none. Weights,
// states, the optimizer's slots and constants live all the time; inputs until
// they are read for the last time, as the infeed brings them before the step;
// outputs from their kernel on, and so do gradients that nobody reads. A
// kernel's results never lie where its operands do, unless it updates them; XLA
// may do better. `rows`: B of one core. Linear.
std::vector<ChipHome> HomesOf(const ChipGraph& graph,
                              const ChipProgram& program, std::int64_t rows);

// The bytes of the same homes where the batch of one core is `rows`.
void SetRows(const ChipGraph& graph, std::int64_t rows,
             std::vector<ChipHome>& homes);

// Bytes by class.
struct ChipHbm {
  double weights = 0;  // with states and constants
  double gradients = 0;
  double optimizer_state = 0;
  double activations = 0;  // with outputs
  double inputs = 0;
  std::int32_t kernel = 0;  // that finds it so

  double total() const {
    return weights + gradients + optimizer_state + activations + inputs;
  }
};

// While the kernel that finds HBM fullest; the first of them. Linear: one
// sweep over the homes' begins and ends.
ChipHbm FullestHbm(const ChipGraph& graph, const ChipProgram& program,
                   const std::vector<ChipHome>& homes);

}  // namespace podsim

#endif  // PODSIM_CHIP_HOMES_H_
