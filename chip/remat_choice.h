// Which products are recomputed to free HBM. Pure; the rules stand at
// FuseWithin.
#ifndef PODSIM_CHIP_REMAT_CHOICE_H_
#define PODSIM_CHIP_REMAT_CHOICE_H_

#include <cstdint>
#include <vector>

#include "chip/facts.h"
#include "chip/program.h"
#include "chip/remat.h"
#include "chip/remat_graph.h"

namespace podsim {

// Where HBM is too full.
struct Overflow {
  std::int32_t kernel = 0;
  double bytes = 0;  // above what may be taken
};

struct RematChoice {
  Recomputation how;
  Recomputed what;
};

// For one round, by cost; fewer bytes than are asked for where there are no
// more. n log n.
// REQUIRES: `facts` and `program` are the graph's.
std::vector<RematChoice> ChooseRecomputed(const RematGraph& remat,
                                          const ChipFacts& facts,
                                          const ChipProgram& program,
                                          const Overflow& overflow,
                                          const RematOptions& options);

}  // namespace podsim

#endif  // PODSIM_CHIP_REMAT_CHOICE_H_
