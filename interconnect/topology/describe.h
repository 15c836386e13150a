// A slice explained to people, as `pod_launch --describe v3-32` prints it.
#ifndef PODSIM_INTERCONNECT_TOPOLOGY_DESCRIBE_H_
#define PODSIM_INTERCONNECT_TOPOLOGY_DESCRIBE_H_

#include <string>

#include "interconnect/topology/slice.h"

namespace podsim {

// "no axis wraps", "y wraps", "both axes wrap".
std::string WrapText(const Slice& slice);

// The grid as text: boxes of hosts with their chips' coordinates, or, for grids
// wider than a terminal, a table of host numbers with the chips' coordinates at
// its edges. Ends with a newline; no line is longer than 80 columns.
std::string DrawGrid(const Slice& slice);

// The whole explanation: counts, HBM, chip figures, wrap and how sure it is,
// the drawing, the ring, the hosts' environment. Ends with a newline.
std::string Describe(const Slice& slice);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TOPOLOGY_DESCRIBE_H_
