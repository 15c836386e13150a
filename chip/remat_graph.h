// A ChipGraph some of whose products are recomputed. Pure.
#ifndef PODSIM_CHIP_REMAT_GRAPH_H_
#define PODSIM_CHIP_REMAT_GRAPH_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "chip/facts.h"
#include "chip/graph.h"
#include "chip/program.h"

namespace podsim {

struct RematGraph {
  ChipGraph graph;
  std::vector<bool> is_late;  // by node, for PlaceLateNodes
  // By value: what it is recomputed as; kNoChipValue: it is not.
  std::vector<ChipValueId> again;
};

// Nothing is recomputed yet.
RematGraph WithoutRemat(ChipGraph graph);

// A kernel of a product that is to run again.
struct Recomputation {
  std::vector<ChipValueId> values;  // of those that it writes
  std::vector<std::int32_t> nodes;  // of its own, that these need; sorted
  // It reads the second in place of the first, which is not there any more.
  std::vector<std::pair<ChipValueId, ChipValueId>> instead;
};

// The graph in which the kernels of `program` behind kernel `at` read the
// values of `recomputations` from clones of their nodes:
// - What these kernels compute from them in passing is cloned too if others
//   need it as it was, and moves behind the clones if not.
// - What else they compute from them stays where it is, and reads clones.
// - Clones and what moves is late. Nodes whose results nobody wants any more
//   are left out; they are no products if each product was read up to `at`.
// New values come behind all others. Linear.
// REQUIRES: `facts` and `program` are the graph's; kernels behind `at` read
//   each of the values, and none of `nodes` of one recomputation reads a value
//   of another one.
RematGraph WithRecomputed(const RematGraph& remat, const ChipFacts& facts,
                          const ChipProgram& program, std::int32_t at,
                          const std::vector<Recomputation>& recomputations);

}  // namespace podsim

#endif  // PODSIM_CHIP_REMAT_GRAPH_H_
