// Times an all-reduce and checks its results: the same for every driver.
#ifndef PODSIM_BENCH_PEERS_MEASURE_H_
#define PODSIM_BENCH_PEERS_MEASURE_H_

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "group.h"
#include "options.h"

namespace podsim::peers {

// Sums the span it was made for over all ranks, in place; blocks.
using AllReduce = std::function<void()>;
// Called once per size by every rank.
using MakeAllReduce = std::function<AllReduce(std::span<float>)>;

// For each size: sums once and checks every element, warms up, times a loop of
// n iterations behind a barrier, checks once more. Rank 0 prints a line of
// JSON: us is the wall time of the loop / n, averaged over ranks; wrong is the
// number of wrong elements on all ranks. Inputs are integers, so sums are
// exact; what the timed loop adds to its own results may become infinite.
void MeasureSizes(const Options& options, Group& group,
                  const std::string& driver, const std::string& variant,
                  const MakeAllReduce& make);

}  // namespace podsim::peers

#endif  // PODSIM_BENCH_PEERS_MEASURE_H_
