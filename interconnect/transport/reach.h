// Who of a pod has not been reached while it forms, and whom that is to blame
// on. Pure.
#ifndef PODSIM_INTERCONNECT_TRANSPORT_REACH_H_
#define PODSIM_INTERCONNECT_TRANSPORT_REACH_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "interconnect/transport/pod_map.h"

namespace podsim {

// Whether a call to a process, and one from it, came through.
struct Reach {
  bool answers = false;
  bool calls = false;
};
// Of the peers of a map, by process.
using ReachOfPeers = std::map<int, Reach>;

// Who is not connected both ways yet, and which way is missing; empty when all
// are.
std::vector<std::string> Unreached(const PodMap& map,
                                   const ReachOfPeers& peers);

// `why`, with the host that is to blame for it, unless it is our own.
absl::Status BlameUnreached(absl::Status why, const PodMap& map,
                            const ReachOfPeers& peers);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TRANSPORT_REACH_H_
