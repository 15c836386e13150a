// What a chip runs in a step: kernels in order, what each does and what it
// reads and writes, and the collectives between them. Plain data, of one core
// with a given number of rows.
#ifndef PODSIM_CHIP_PROGRAM_H_
#define PODSIM_CHIP_PROGRAM_H_

#include <cstdint>
#include <vector>

#include "chip/graph.h"

namespace podsim {

// C[m,n] = A[m,k] * B[k,n], `count` times.
struct ChipProduct {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t count = 1;
  double multiply_adds = 0;  // that are part of the result
  bool rounds = false;       // operands to bfloat16; else float32
};

struct ChipTransfer {
  ChipValueId value = kNoChipValue;  // no view
  double bytes = 0;                  // in tiles
  // It stays on chip (chip/on_chip.h) and does not cross HBM.
  bool on_chip = false;
};

enum class ChipKernelKind : std::uint8_t {
  kProduct,    // one product with what is fused into it
  kLoop,       // what passes and folds, alone
  kAlone,      // one op: a window, a gather, an update, ...
  kAttention,  // several products whose scores never leave the chip
};

struct ChipKernel {
  ChipKernelKind kind = ChipKernelKind::kLoop;
  // The graph's, in its order: all that it computes, again or for the first
  // time. `main`: the product, or what a loop was begun for.
  std::vector<std::int32_t> nodes;
  std::int32_t main = kNoChipNode;

  std::vector<ChipTransfer> reads;
  std::vector<ChipTransfer> writes;
  // The value over which it writes its first result; kNoChipValue: over none,
  // or as ChipValue::in_place_of says.
  ChipValueId over = kNoChipValue;
  // Of the work of its nodes, what there is to do (chip/attention_kernels.h).
  double share = 1;

  std::vector<ChipProduct> products;
  double matrix_flops = 0;  // of the matrix unit, with what padding costs
  double vector_flops = 0;
  double transcendentals = 0;

  double hbm_bytes() const {
    double bytes = 0;
    for (const std::vector<ChipTransfer>* transfers : {&reads, &writes})
      for (const ChipTransfer& each : *transfers)
        if (!each.on_chip) bytes += each.bytes;
    return bytes;
  }
};

// An all-reduce over cores; its traffic in HBM is part of its own time.
struct ChipCollective {
  std::int32_t node = kNoChipNode;
  std::int32_t bucket = -1;  // of gradients; -1: joins a tensor in mid-step
  double bytes = 0;          // of all that it sums, without tiles
  // It may begin behind kernel `ready` (-1: at once), and kernel `needed` waits
  // for it (kernels.size(): none does).
  std::int32_t ready = -1;
  std::int32_t needed = 0;
};

struct ChipProgram {
  std::vector<ChipKernel> kernels;
  std::vector<ChipCollective> collectives;  // in the graph's order
};

}  // namespace podsim

#endif  // PODSIM_CHIP_PROGRAM_H_
