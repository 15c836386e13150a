#include "runtime/job/plan_placement.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/units.h"
#include "runtime/job/defaults.h"

namespace podsim {
namespace {

constexpr std::int64_t kChunkElementBytes = 4;  // they are floats

int ProcessesOf(const JobSpec& spec, int hosts) {
  return spec.has_processes() ? spec.processes()
                              : std::min(hosts, kMostDefaultProcesses);
}

}  // namespace

int MostHostsOfProcess(const JobSpec& spec, int hosts) {
  const int processes = std::clamp(ProcessesOf(spec, hosts), 1, hosts);
  return (hosts + processes - 1) / processes;
}

absl::Status FillPlacement(const PlanInputs& inputs, ResolvedJob& job,
                           JobPlan& plan) {
  const int hosts = job.slice.hosts;
  const int processes = ProcessesOf(job.spec, hosts);
  job.spec.set_processes(processes);
  if (processes > hosts)
    return absl::InvalidArgumentError(
        absl::StrCat("processes is ", processes, " but ", job.slice.name,
                     " has ", FormatCounted(hosts, "host"),
                     ", and a host is played by one process; allowed: ",
                     hosts == 1 ? "1" : absl::StrCat("1 to ", hosts)));
  for (int process = 0; process < processes; ++process)
    plan.add_first_host(
        static_cast<int>(std::int64_t{process} * hosts / processes));
  plan.set_chunk_elements(job.spec.chunk_bytes() / kChunkElementBytes);
  if (hosts == 1) job.spec.set_overlap_probe(0);
  if (processes < hosts)
    plan.add_notes(absl::StrCat(
        FormatCounted(hosts, "host"), " are packed into ",
        FormatCounted(processes, "process"), "; results do not change"));
  if (inputs.cpus > 0 && processes > inputs.cpus)
    plan.add_notes(
        absl::StrCat(processes, " processes share ", inputs.cpus,
                     " CPUs: wall times tell of this machine, not of a pod"));
  return absl::OkStatus();
}

}  // namespace podsim
