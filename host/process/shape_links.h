// The links between hosts as a plan wants them.
#ifndef PODSIM_HOST_PROCESS_SHAPE_LINKS_H_
#define PODSIM_HOST_PROCESS_SHAPE_LINKS_H_

#include <optional>

#include "base/clock.h"
#include "interconnect/transport/endpoint.h"
#include "interconnect/transport/faults/link_faults.h"
#include "interconnect/transport/faults/shaped_links.h"
#include "proto/job.pb.h"

namespace podsim {

// Over `transport`: with the plan's latency and its slow link, and `faults` to
// be told of more where it has some. `transport` itself, and the other two
// unset, where it wants nothing. `transport` and `clock` must outlive `links`,
// and so must `faults`.
Transport& ShapeLinks(const JobPlan& plan, Transport& transport,
                      const Clock& clock, std::optional<LinkFaults>& faults,
                      std::optional<ShapedLinks>& links);

}  // namespace podsim

#endif  // PODSIM_HOST_PROCESS_SHAPE_LINKS_H_
