// Which chips of a slice do the same in a collective, so that one of them can
// stand for all: a wrapped axis looks alike from every place on it, a mesh from
// a chip and its mirror image. Pure.
#ifndef PODSIM_INTERCONNECT_TIMING_FOLD_H_
#define PODSIM_INTERCONNECT_TIMING_FOLD_H_

#include <vector>

#include "absl/status/statusor.h"
#include "interconnect/collectives/chip_plans.h"
#include "interconnect/timing/network.h"
#include "interconnect/timing/simulation.h"

namespace podsim {

// The ranks of a simulation, and which chips each stands for.
struct FoldedRun {
  std::vector<SimRank> ranks;
  std::vector<int> rank_of_chip;
  int links = 0;  // kDirections for each rank, in their order
  std::vector<std::int32_t> link_of;  // by link of the slice
  std::vector<double> rates;          // as SimLinks
};

// `whole`: every chip stands for itself alone. The time is the same, to the
// picosecond; tests hold it to that.
// REQUIRES: elements are even (EvenElements).
// Errors: those of MakeChipPlan and RouteBetween.
absl::StatusOr<FoldedRun> FoldRun(const ChipRequest& request,
                                  const Network& network, int element_bytes,
                                  bool whole = false);

// How many ranks that has.
int FoldedRanks(const ChipRequest& request, const Network& network);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TIMING_FOLD_H_
