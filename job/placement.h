// Which process plays which hosts, as the JobPlan says. Pure.
#ifndef PODSIM_JOB_PLACEMENT_H_
#define PODSIM_JOB_PLACEMENT_H_

#include <string>

#include "absl/status/status.h"
#include "proto/job.pb.h"

namespace podsim {

// Hosts [first, end).
struct HostRange {
  int first = 0;
  int end = 0;
  bool contains(int host) const { return host >= first && host < end; }
  bool operator==(const HostRange&) const = default;
};

// Errors: INTERNAL (process ranges that do not cover the hosts in order, with
//   at least one host each).
absl::Status CheckPlacement(const JobPlan& plan);

// REQUIRES: CheckPlacement(plan) is OK and the index is in range.
HostRange HostsOf(const JobPlan& plan, int process);
int ProcessOf(const JobPlan& plan, int host);

// "host 2" or "hosts 4-7".
std::string DescribeHosts(HostRange hosts);

}  // namespace podsim

#endif  // PODSIM_JOB_PLACEMENT_H_
