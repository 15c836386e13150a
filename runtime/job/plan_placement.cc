#include "runtime/job/plan_placement.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/job/defaults.h"

namespace podsim {
namespace {

constexpr std::int64_t kChunkElementBytes = 4;  // they are floats

}  // namespace

absl::Status FillPlacement(const ResolvedJob& job, const PlanInputs& inputs,
                           JobPlan& plan) {
  const int hosts = job.slice.hosts;
  const int processes = job.spec.has_processes()
                            ? job.spec.processes()
                            : std::min(hosts, kMostDefaultProcesses);
  if (processes > hosts)
    return absl::InvalidArgumentError(absl::StrCat(
        "processes is ", processes, " but ", job.slice.name, " has ", hosts,
        " hosts, and a host is played by one process; allowed: 1 to ", hosts));
  plan.set_processes(processes);
  for (int process = 0; process < processes; ++process)
    plan.add_first_host(
        static_cast<int>(std::int64_t{process} * hosts / processes));
  plan.set_threads(job.spec.threads());
  plan.set_transport(job.spec.transport());
  plan.set_chunk_elements(job.spec.chunk_bytes() / kChunkElementBytes);
  plan.set_data_dir(job.spec.data_dir());
  plan.set_link_latency(job.spec.link_latency());
  plan.set_overlap_probe(hosts > 1 ? job.spec.overlap_probe() : 0);
  plan.set_stall_timeout(job.spec.stall_timeout());
  plan.set_heartbeat_timeout(job.spec.heartbeat_timeout());
  plan.set_initialization_timeout(job.spec.initialization_timeout());
  plan.set_shutdown_timeout(job.spec.shutdown_timeout());
  if (processes < hosts)
    plan.add_notes(absl::StrCat(hosts, " hosts are packed into ", processes,
                                " processes; results do not change"));
  if (inputs.cpus > 0 && processes > inputs.cpus)
    plan.add_notes(
        absl::StrCat(processes, " processes share ", inputs.cpus,
                     " CPUs: wall times tell of this machine, not of a pod"));
  return absl::OkStatus();
}

}  // namespace podsim
