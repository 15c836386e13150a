// A benchmark's cases beside the real pod: what the same collective on the same
// bytes would take among the chips of the slice. Pure; simulated.
//
// A measured rank is a host (or a core) of this machine; a simulated one is a
// replica of the slice, so that v3-32 prices 32 cores whatever ran here.
#ifndef PODSIM_RUNTIME_BENCH_SIM_PRICE_H_
#define PODSIM_RUNTIME_BENCH_SIM_PRICE_H_

#include <string>
#include <vector>

#include "interconnect/topology/slice.h"
#include "job/bench_cases.h"
#include "proto/job.pb.h"

namespace podsim {

struct SimPrice {
  // Not empty: there is no price, and why; all else is empty then.
  std::string missing;
  std::string algorithm;  // the one that takes least time on the links
  double seconds = 0;
  double bus = 0;  // GB/s among `ranks`, as BandwidthOf counts it
  int ranks = 0;   // replicas of the slice
};

// Of each case of the plan, in the order of BenchCases. Each replica holds the
// bytes of the case. A broadcast begins at the first chip of the host that is
// its root, or at the core's chip.
// REQUIRES: a plan with a benchmark for `slice`.
std::vector<SimPrice> SimPricesOf(const Slice& slice, const JobPlan& plan);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_BENCH_SIM_PRICE_H_
