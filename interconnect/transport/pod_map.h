// Which process plays which hosts, and where it listens. Pure.
#ifndef PODSIM_INTERCONNECT_TRANSPORT_POD_MAP_H_
#define PODSIM_INTERCONNECT_TRANSPORT_POD_MAP_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace podsim {

// A process of the pod: plays hosts [first_host, first_host + host_count).
struct IciProcess {
  int process = 0;
  std::string address;  // "unix:/path" or "host:port"
  int first_host = 0;
  int host_count = 1;
};

// The pod as one of its processes sees it.
struct PodMap {
  int self = 0;
  std::string own_address;
  std::vector<int> local_hosts;     // ascending
  std::map<int, IciProcess> peers;  // by process, without this one
  std::map<int, int> process_of;    // by host, all hosts

  bool IsLocal(int host) const;
};

// Errors: INVALID_ARGUMENT (a process or host named twice, a process without
//   hosts, negative numbers, or `self` is missing).
absl::StatusOr<PodMap> MapPod(const std::vector<IciProcess>& processes,
                              int self);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TRANSPORT_POD_MAP_H_
