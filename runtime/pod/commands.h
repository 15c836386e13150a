// The command lines and environments of a job's processes. Pure.
#ifndef PODSIM_RUNTIME_POD_COMMANDS_H_
#define PODSIM_RUNTIME_POD_COMMANDS_H_

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "host/storage/job_hold.h"
#include "interconnect/topology/slice.h"
#include "proto/job.pb.h"
#include "proto/programs.pb.h"
#include "runtime/pod/process.h"

namespace podsim {

// What the processes of one job have in common.
struct PodFiles {
  std::string program_dir;  // pod_coordinator and pod_host are there
  std::string private_dir;
  std::string job_file;
  std::string token;
  bool allow_plaintext_network = false;
  bool external_hosts = false;  // no pod_host of ours
  bool traced = false;          // the job is
  std::uint32_t generation = 1;
  // Of the launcher's clock (base/clock.h): all generations' events are by it.
  absl::Duration wall_offset;
  MonitorSettings monitor;  // of the coordinator
  HoldKey model_dir;        // of whoever holds it for all generations
};

// Whether `transport` needs no address but paths in the private directory.
bool UsesSockets(words::Transport::Word transport);

// Where the coordinator of a pod of this machine listens.
std::string LocalListenAddress(const PodFiles& files,
                               words::Transport::Word transport);

// `ready_fd` -1: not asked to say where it listens.
ProcessSpec CoordinatorCommand(const PodFiles& files, const std::string& listen,
                               int events_fd, int ready_fd);

// `coordinator`: the address that it listens on. The process gets the
// environment that a TPU VM gives the first of the hosts that it plays.
// REQUIRES: `slice` is the plan's; 0 <= process < plan.spec().processes().
ProcessSpec HostCommand(const PodFiles& files, const JobPlan& plan,
                        const Slice& slice, int process,
                        const std::string& coordinator);

// Files and sockets that one of a pod's processes may have open at a time: a
// host has streams to every other one.
int FilesOfPod(int processes);

// "host2", or "host4-7" for a process that plays several.
std::string HostProcessName(const JobPlan& plan, int process);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_POD_COMMANDS_H_
