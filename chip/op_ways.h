// How a compiler for the chip takes each op of the table: which ones are
// computed while others read, and which ones end a chain.
#ifndef PODSIM_CHIP_OP_WAYS_H_
#define PODSIM_CHIP_OP_WAYS_H_

#include <cstddef>
#include <cstdint>

#include "models/ops/op_entry.h"

namespace podsim {

enum class ChipWay : std::uint8_t {
  // Each element of the result is made from elements of the operands that are
  // known by its index: whoever reads the result computes it in passing.
  kPasses,
  // A sum or another fold over dimensions: reads in passing; what is summed
  // rides in the epilogue of a product, or is a loop.
  kFolds,
  kMultiplies,  // a product; its operands are read in passing
  kAlone,       // a kernel of its own
  kJoins,       // a collective
  kIsView,      // no node of a ChipGraph
};

// REQUIRES: an op of the table.
ChipWay WayOf(const OpEntry& entry);

// Whether the op's operand must be in HBM before the op begins: it is read at
// places that other numbers name, several times, or is written over.
bool NeedsInHbm(const OpEntry& entry, std::size_t operand);

// The op makes random bits: what is computed from them is dear to compute
// again.
bool IsRandom(const OpEntry& entry);

}  // namespace podsim

#endif  // PODSIM_CHIP_OP_WAYS_H_
