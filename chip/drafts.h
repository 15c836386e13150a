// The kernels of a FusionPlan as they come about: which of them a node joins.
#ifndef PODSIM_CHIP_DRAFTS_H_
#define PODSIM_CHIP_DRAFTS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "chip/facts.h"
#include "chip/frontier.h"
#include "chip/fusion_plan.h"
#include "chip/graph.h"

namespace podsim {

// No two kernels ever wait for each other. What joins a product's kernel
// depends on no later product, and what it reads there on earlier ones alone,
// so that the latest product rises from product to product; the ends of a loop
// depend on one latest product, and come behind all that the loop reads in the
// graph's order.
class Drafts {
 public:
  // All three must outlive it.
  Drafts(const ChipGraph& graph, const ChipFacts& facts,
         const FuseOptions& options);

  // A new kernel, which leaves the results of `node`, made from `from`.
  void Open(DraftKind kind, std::int32_t node, const Frontier& from);

  // The result of `node`, which passes or folds, is left by the product's
  // kernel that it can ride in, or by a loop. `space`: what the loop is over.
  void Carry(std::int32_t node, const Frontier& from, const ValueType& space);

  // The product in whose kernel a loop over `space` can run, with `from` at
  // hand; kNoChipNode: there is none.
  std::int32_t RidesIn(const Frontier& from, const ValueType& space) const;

  // The value is in registers where the kernel of `product` computes: it need
  // not be read there.
  bool IsAtHand(ChipValueId value, std::int32_t product) const;

  FusionPlan Take() { return std::move(plan_); }

 private:
  std::int32_t KernelOf(ChipValueId value) const;
  bool IsMadeInPassing(ChipValueId value, std::int32_t kernel) const;
  bool MayJoin(std::int32_t kernel, std::int32_t node, const Frontier& from,
               const ValueType& space) const;
  std::int32_t LoopFor(std::int32_t node, const Frontier& from,
                       const ValueType& space) const;
  void JoinLoop(std::int32_t kernel, std::int32_t node, const Frontier& from);
  Frontier WithoutMadeIn(std::int32_t kernel, const Frontier& from) const;
  std::int32_t LatestProductOf(std::int32_t node) const;

  const ChipGraph& graph_;
  const ChipFacts& facts_;
  const FuseOptions& options_;
  std::vector<std::int32_t> last_loop_;  // by value: that reads it
  FusionPlan plan_;
};

}  // namespace podsim

#endif  // PODSIM_CHIP_DRAFTS_H_
