// Command lines of pod_coordinator and pod_host; see commands.h.
#include "runtime/pod/commands.h"

#include "absl/strings/str_cat.h"
#include "base/program.h"
#include "base/rpc/token.h"
#include "base/status.h"
#include "host/process/trace_part.h"
#include "interconnect/topology/environment.h"
#include "job/placement.h"

namespace podsim {
namespace {

constexpr char kAnyLocalPort[] = "127.0.0.1:0";

void AddCommon(const PodFiles& files, ProcessSpec& spec) {
  // Never a flag: every user of the machine can read those.
  spec.environment.emplace_back(kTokenVariable, files.token);
  if (files.allow_plaintext_network) {
    spec.argv.emplace_back("--allow_plaintext_network");
  }
}

void AddMonitor(const MonitorSettings& monitor, ProcessSpec& spec) {
  if (monitor.has_metrics_port())
    spec.argv.push_back(
        absl::StrCat("--metrics_port=", monitor.metrics_port()));
  if (monitor.has_metrics_host())
    spec.argv.push_back(
        absl::StrCat("--metrics_host=", monitor.metrics_host()));
  if (monitor.has_tpu_metrics_port())
    spec.argv.push_back(
        absl::StrCat("--tpu_metrics_port=", monitor.tpu_metrics_port()));
}

// As on a pod whose hosts all have the name of this machine, one port each.
Environment TpuEnvironment(const Slice& slice, int host) {
  HostAddresses addresses;
  addresses.hostnames.assign(slice.hosts, "localhost");
  for (int i = 0; i < slice.hosts; ++i) {
    addresses.ports.push_back(kTpuProcessPort + i);
  }
  auto environment = HostEnvironment(slice, host, addresses);
  PODSIM_CHECK(environment.ok());
  return *std::move(environment);
}

}  // namespace

bool UsesSockets(words::Transport::Word transport) {
  return transport != words::Transport::tcp;
}

std::string LocalListenAddress(const PodFiles& files,
                               words::Transport::Word transport) {
  if (!UsesSockets(transport)) return kAnyLocalPort;
  return absl::StrCat("unix:", files.private_dir, "/coordinator-",
                      files.generation, ".sock");
}

ProcessSpec CoordinatorCommand(const PodFiles& files, const std::string& listen,
                               int events_fd, int ready_fd) {
  ProcessSpec spec = {
      .name = "coordinator",
      .argv = {files.program_dir + "/pod_coordinator",
               absl::StrCat("--job=", files.job_file),
               absl::StrCat("--listen=", listen),
               absl::StrCat("--events_fd=", events_fd),
               absl::StrCat("--generation=", files.generation),
               absl::StrCat("--wall_offset_ns=",
                            absl::ToInt64Nanoseconds(files.wall_offset))},
      .inherited_fds = {events_fd}};
  if (files.external_hosts) spec.argv.emplace_back("--external");
  // Others are told of a file of their own.
  if (files.external_hosts && files.traced)
    spec.argv.push_back(absl::StrCat("--trace_parts=", files.private_dir));
  if (files.model_dir.lock_fd >= 0) {
    spec.argv.push_back(
        absl::StrCat("--model_dir_lock_fd=", files.model_dir.lock_fd));
    spec.inherited_fds.push_back(files.model_dir.lock_fd);
  }
  if (!files.model_dir.lease.empty())
    spec.argv.push_back(
        absl::StrCat("--model_dir_lease=", files.model_dir.lease));
  if (ready_fd >= 0) {
    spec.argv.push_back(absl::StrCat("--ready_fd=", ready_fd));
    spec.inherited_fds.push_back(ready_fd);
  }
  AddMonitor(files.monitor, spec);
  AddCommon(files, spec);
  return spec;
}

ProcessSpec HostCommand(const PodFiles& files, const JobPlan& plan,
                        const Slice& slice, int process,
                        const std::string& coordinator) {
  const std::string listen =
      UsesSockets(plan.spec().transport())
          ? absl::StrCat("unix:", files.private_dir, "/ici-", files.generation,
                         "-", process, ".sock")
          : kAnyLocalPort;
  ProcessSpec spec = {.name = HostProcessName(plan, process),
                      .argv = {files.program_dir + "/pod_host",
                               absl::StrCat("--coordinator=", coordinator),
                               absl::StrCat("--process=", process),
                               absl::StrCat("--ici_listen=", listen)}};
  if (files.traced)
    spec.argv.push_back(absl::StrCat(
        "--trace_part=",
        TracePartFile(files.private_dir,
                      {.process = process, .generation = files.generation})));
  spec.environment = TpuEnvironment(slice, plan.first_host(process));
  // What this machine's user exports for a host of another pod.
  spec.hidden_environment = {"PODSIM_COORDINATOR", "PODSIM_ICI_ADVERTISE",
                             "PODSIM_ICI_LISTEN", "PODSIM_PROCESS"};
  AddCommon(files, spec);
  return spec;
}

// To and from each other process a socket and the memory beside it, and as much
// again for those that are being replaced.
int FilesOfPod(int processes) { return kOwnFiles + 12 * processes; }

std::string HostProcessName(const JobPlan& plan, int process) {
  const HostRange hosts = HostsOf(plan, process);
  if (hosts.end - hosts.first == 1) return absl::StrCat("host", hosts.first);
  return absl::StrCat("host", hosts.first, "-", hosts.end - 1);
}

}  // namespace podsim
