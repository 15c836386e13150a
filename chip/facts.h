// What fusing has to know of a graph whatever the batch and the chip: made once
// for a function, read by every PlanFusion. Plain data.
#ifndef PODSIM_CHIP_FACTS_H_
#define PODSIM_CHIP_FACTS_H_

#include <cstdint>
#include <vector>

#include "chip/attention.h"
#include "chip/graph.h"
#include "chip/op_ways.h"
#include "models/ops/op_entry.h"

namespace podsim {

struct ChipFacts {
  // By node.
  std::vector<const OpEntry*> entries;
  std::vector<ChipWay> ways;

  // By value; a view has its root's.
  std::vector<std::int32_t> readers;      // nodes that read it
  std::vector<std::int32_t> last_reader;  // the last of these; kNoChipNode
  // It is left, or a node reads it that cannot read in passing.
  std::vector<bool> must_store;
  // The last product that it depends on, through whatever ops; kNoChipNode:
  // none. A value whose number is below p does not depend on product p, nor on
  // any later one.
  std::vector<std::int32_t> latest_product;

  std::vector<Attention> attentions;
};

// Linear, but for attentions (chip/attention.h).
ChipFacts FactsOf(const ChipGraph& graph);

// Whether a loop over `inner` is no longer than one over `outer`, for any
// batch.
bool IsWithinSpace(const ValueType& inner, const ValueType& outer);
// Whether `a` has no more bytes than `b`, for any batch, tiles apart.
bool IsNoLarger(const ValueType& a, const ValueType& b);

inline bool IsMask(const ValueType& type) { return type.dtype == DType::kBool; }

}  // namespace podsim

#endif  // PODSIM_CHIP_FACTS_H_
