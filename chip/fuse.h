// From what a chip has to compute to what it runs.
//
//   const ChipGraph graph = ChipGraphOf(program, EntryPoint::kTrainMicrobatch);
//   const ChipFacts facts = FactsOf(graph);  // once for all batches and chips
//   const ChipProgram chip = FuseForChip(graph, facts, {.rows = 128});
#ifndef PODSIM_CHIP_FUSE_H_
#define PODSIM_CHIP_FUSE_H_

#include "chip/facts.h"
#include "chip/fusion_plan.h"
#include "chip/graph.h"
#include "chip/program.h"

namespace podsim {

// PlanFusion's kernels (its rules stand there), in an order in which each comes
// behind those that it reads from, with their work and traffic:
// - A tensor that a kernel needs is read once there, a slice of it for its
//   share; what another kernel reads, and what is left, is written.
// - Work is the op table's, of each node in each kernel that computes it.
// - A gather reads as many bytes of its operand as it leaves, a scatter reads
//   and writes as many of its result as it is given; an update in place writes
//   what is new.
// - An update with a trust ratio waits for norms: its direction is written and
//   read again, and so is the weight.
// - Of what is written and read in the step, what fits in options.on_chip_bytes
//   stays on chip (chip/on_chip.h); kernels and order do not depend on it.
//
// Pure. n log n in the graph's nodes and in what is computed again.
// REQUIRES: `facts` are the graph's; rows >= 0.
ChipProgram FuseForChip(const ChipGraph& graph, const ChipFacts& facts,
                        const FuseOptions& options);

}  // namespace podsim

#endif  // PODSIM_CHIP_FUSE_H_
