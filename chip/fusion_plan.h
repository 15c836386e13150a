// Which nodes of a graph run together on a chip, and which values go through
// its HBM: the decisions. Pure; the rules stand at PlanFusion.
#ifndef PODSIM_CHIP_FUSION_PLAN_H_
#define PODSIM_CHIP_FUSION_PLAN_H_

#include <cstdint>
#include <vector>

#include "chip/facts.h"
#include "chip/frontier.h"
#include "chip/graph.h"

namespace podsim {

// When a value that could be computed again by each reader is stored instead.
enum class ChipStores : std::uint8_t {
  // More than two kernels read it, and storing moves fewer bytes.
  kForManyReaders,
  // Writing it once and reading it moves fewer bytes than reading what it is
  // made from, its writer's own reads left out.
  kWhereverItSaves,
  // Nothing is that need not be, whatever becomes of the frontiers; a product's
  // result is, as the function rounds it.
  kNever,
};

struct FuseOptions {
  std::int64_t rows = 1;                // B of one core
  std::int64_t matrix_unit_side = 128;  // 1: products are not padded
  // Where values stay between kernels (chip/on_chip.h); 0: none does.
  double on_chip_bytes = 0;
  // Attention is a kernel of its own (chip/attention_kernels.h).
  bool fuses_attention = false;

  // What follows turns single rules off, to see what they are worth.
  bool fuses = true;      // false: each node is a kernel
  bool epilogues = true;  // false: nothing rides in a product's kernel
  ChipStores stores = ChipStores::kForManyReaders;
};

// A frontier longer than this is cut by storing the value, and so is a longer
// chain, as XLA bounds the operands and the size of what it fuses. Its bounds
// on TPUs are not published: assumed. A sum of two batch norms, which it
// computes in one loop, has ten tensors, most of them vectors.
inline constexpr std::size_t kMostFrontierTensors = 16;
inline constexpr int kMostChainNodes = 100;

enum class DraftKind : std::uint8_t {
  kProduct,
  kLoop,
  kAlone,
  kCollective,
  kAttention,
};

struct KernelDraft {
  DraftKind kind = DraftKind::kLoop;
  std::int32_t first = kNoChipNode;    // the first of `ends`
  std::int32_t product = kNoChipNode;  // kProduct; kAttention: its first
  // Nodes whose results it leaves. Of a loop all depend on the same latest
  // product.
  std::vector<std::int32_t> ends;
  Frontier reads;  // of a loop

  // Of kAttention: nodes of another one that it computes again, and the part of
  // its work that is left where queries look at no later key.
  std::vector<std::int32_t> again;
  double share = 1;
};

struct FusionPlan {
  std::vector<KernelDraft> kernels;
  // By node: the kernel that leaves its results; kNoChipNode: computed in
  // passing.
  std::vector<std::int32_t> kernel_of;
  // By node, where there is such a kernel: what it reads for it.
  std::vector<Frontier> made_from;
};

// In the order of the graph:
// - A value computed in passing has its operands' frontiers for its own; any
//   other one, and one that is stored, is its own frontier.
// - It is stored if it must be, at the end of a chain of single readers that
//   begins with a product's result and can go on in its epilogue (then the
//   product's own result is not written), where its frontier becomes too long,
//   and as FuseOptions::stores says at the last place of its chain. A mask is
//   not, unless random bits are in it and two kernels read it.
// - What is stored, and a fold, rides in the kernel of the latest product in
//   its frontier if all else there is ready before that product; else in a loop
//   over the same tensors; else it is a loop.
// - A fold of constants is known before the step, and costs nothing.
// - Last, if options.fuses_attention, kernels of attention become one
//   (chip/attention_kernels.h).
//
// How many kernels read a value depends on what others decide: three rounds,
// each with the readers of the one before. n log n in nodes.
FusionPlan PlanFusion(const ChipGraph& graph, const ChipFacts& facts,
                      const FuseOptions& options);

}  // namespace podsim

#endif  // PODSIM_CHIP_FUSION_PLAN_H_
