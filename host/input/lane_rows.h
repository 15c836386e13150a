// Which examples of the stream a step's rows are, where an epoch goes by lanes
// (epoch_order.h): hosts read lanes, not parts of each.
#ifndef PODSIM_HOST_INPUT_LANE_ROWS_H_
#define PODSIM_HOST_INPUT_LANE_ROWS_H_

#include <cstdint>
#include <vector>

#include "host/input/epoch_order.h"

namespace podsim {

struct StreamRow {
  std::int64_t k = 0;      // of the stream
  std::int64_t index = 0;  // in the data set
  ExampleRange window;     // of LaneExample
};

// Rows of neighbouring hosts.
struct HostsRows {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t of_host = 1;
};

// Of the step that has the examples [consumed, consumed + batch) of the stream:
// these sorted by lane and dealt to the hosts in runs; those of `rows`, each
// host's as the stream has them, so that a core has some of all its host's
// lanes. Pure.
std::vector<StreamRow> RowsByLane(const ShardEnds& shards, std::uint64_t seed,
                                  std::int64_t consumed, std::int64_t batch,
                                  const HostsRows& of);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_LANE_ROWS_H_
