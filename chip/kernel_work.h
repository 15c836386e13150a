// What a kernel computes, and what single ops move. Pure.
#ifndef PODSIM_CHIP_KERNEL_WORK_H_
#define PODSIM_CHIP_KERNEL_WORK_H_

#include <cstdint>
#include <vector>

#include "chip/facts.h"
#include "chip/fusion_plan.h"
#include "chip/graph.h"
#include "chip/program.h"

namespace podsim {

// Sets the work of the kernel's nodes, its share of it. REQUIRES: none is set.
void AddWork(const ChipGraph& graph, const ChipFacts& facts,
             const FuseOptions& options, ChipKernel& kernel);

class KernelWorker {
 public:
  // All four must outlive it.
  KernelWorker(const ChipGraph& graph, const ChipFacts& facts,
               const FuseOptions& options, const FusionPlan& plan)
      : graph_(graph),
        facts_(facts),
        options_(options),
        plan_(plan),
        seen_in_(graph.nodes.size(), kNoChipNode) {}

  // The nodes that kernel `index` of the plan computes: its ends, what it
  // repeats, and what these need that no kernel leaves.
  std::vector<std::int32_t> NodesOf(std::int32_t index);

  // Sets right what an op that is a kernel of its own moves less, or more, than
  // its operands and results.
  void MendTraffic(ChipKernel& kernel) const;

 private:
  double BytesOf(ChipValueId value) const;
  bool MayWriteOver(ChipValueId value) const;
  void WriteOver(std::int32_t update, bool adds, ChipKernel& kernel) const;
  void WriteDirection(ChipKernel& kernel) const;

  const ChipGraph& graph_;
  const ChipFacts& facts_;
  const FuseOptions& options_;
  const FusionPlan& plan_;
  std::vector<std::int32_t> seen_in_;  // by node: the last kernel
};

}  // namespace podsim

#endif  // PODSIM_CHIP_KERNEL_WORK_H_
