// How many bytes of memory a training step of one host touches, beside the
// fewest that any order of its work would.
//
// A row group's temporaries stay in the cache, a panel of rows at a time, and
// do not count; everything that crosses from one group or op to another does,
// once for each that reads or writes it. Not counted: the infeed's writing, and
// the all-reduce.
#ifndef PODSIM_HOST_CORE_TRAFFIC_H_
#define PODSIM_HOST_CORE_TRAFFIC_H_

#include <cstdint>

#include "models/graph/program.h"

namespace podsim {

struct StepTraffic {
  std::int64_t touched = 0;  // bytes
  // Each batch input and weight read once, each weight and slot written once,
  // each gradient and each activation that outlives its group written and read
  // once.
  std::int64_t least = 0;
};

// For `rows` stacked rows and one pass (no microbatches). Pure.
StepTraffic TrafficOf(const Program& program, std::int64_t rows);

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_TRAFFIC_H_
