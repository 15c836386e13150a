// A slice explained to people, as `pod_launch --describe v3-32` prints it.
#ifndef PODSIM_INTERCONNECT_TOPOLOGY_DESCRIBE_H_
#define PODSIM_INTERCONNECT_TOPOLOGY_DESCRIBE_H_

#include <string>

#include "base/text_layout.h"
#include "interconnect/topology/slice.h"

namespace podsim {

// "no axis wraps", "y wraps", "both axes wrap", "all axes wrap, twisted".
std::string WrapText(const Slice& slice);

// The grid as text, plane by plane (many planes alike: the first two and the
// last): boxes of hosts with their chips' coordinates, or, for grids wider than
// that, a table of host numbers with the chips' coordinates at its edges (of up
// to 79 columns; of wide grids some columns are left out). Ends with a newline.
std::string DrawGrid(const Slice& slice, int width = kTextColumns);

// The whole explanation: counts, HBM, chip figures, wrap and how sure it is,
// the drawing, the ring, the hosts' environment, in lines of up to `width`
// columns if drawing and words allow. Ends with a newline. REQUIRES: width
// >= 20.
std::string Describe(const Slice& slice, int width = kTextColumns);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TOPOLOGY_DESCRIBE_H_
