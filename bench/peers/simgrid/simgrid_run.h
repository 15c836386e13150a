// The plans of a collective on SimGrid's network.
#ifndef PODSIM_BENCH_PEERS_SIMGRID_SIMGRID_RUN_H_
#define PODSIM_BENCH_PEERS_SIMGRID_SIMGRID_RUN_H_

#include <vector>

#include "interconnect/timing/simulation.h"

struct SimGridResult {
  double simulated_seconds = 0;
  double wall_seconds = 0;  // of the run alone, without the platform
  std::size_t transfers = 0;
};

// Each chip is a host, each link of `links` a link, each path of `ranks` a
// route. Calls may be made once a process. REQUIRES: sound plans.
SimGridResult RunOnSimGrid(const std::vector<podsim::SimRank>& ranks,
                           const podsim::SimLinks& links);

#endif  // PODSIM_BENCH_PEERS_SIMGRID_SIMGRID_RUN_H_
