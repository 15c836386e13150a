// Sets the table for a job's processes and reads out the result; see
// job_runner.h.
#include "runtime/pod/job_runner.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/output_file.h"
#include "base/program.h"
#include "base/rpc/address.h"
#include "base/rpc/token.h"
#include "base/status.h"
#include "base/write_error.h"
#include "host/checkpoint/catalog.h"
#include "host/process/trace_part.h"
#include "host/storage/job_hold.h"
#include "host/storage/store_waits.h"
#include "host/storage/uri_store.h"
#include "interconnect/topology/accelerator_type.h"
#include "job/saving.h"
#include "job/traced_steps.h"
#include "runtime/files/job_file.h"
#include "runtime/pod/commands.h"
#include "runtime/pod/kept_work.h"
#include "runtime/pod/pipe.h"
#include "runtime/pod/private_dir.h"
#include "runtime/pod/process.h"
#include "runtime/pod/restart.h"
#include "runtime/pod/stop_signals.h"
#include "runtime/pod/supervisor.h"
#include "runtime/pod/waiting_room.h"
#include "runtime/pod/watch_place.h"

namespace podsim {
namespace {

// By what this process may do now, its capabilities too; access(2) asks what
// the user might who started it.
bool IsAllowed(const std::string& path, int mode) {
  return faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) == 0;
}

absl::Status CheckProgram(const std::string& path) {
  if (IsAllowed(path, X_OK)) return absl::OkStatus();
  const int why = errno;
  return absl::Status(
      absl::ErrnoToStatusCode(why),
      absl::StrCat("cannot run ", path, ", which belongs beside this program: ",
                   std::generic_category().message(why),
                   "; build or install podsim as a whole"));
}

absl::Status MakeLogDir(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error && !IsAllowed(path, W_OK)) {
    error = std::error_code(errno, std::generic_category());
  }
  if (!error) return absl::OkStatus();
  if (error == std::errc::not_a_directory || error == std::errc::file_exists)
    return absl::InvalidArgumentError(
        absl::StrCat("--log_dir is \"", path,
                     "\", but that is a file, or lies below one; name a "
                     "folder, which is made if need be"));
  return absl::ErrnoToStatus(
      error.value(), absl::StrCat("cannot write to --log_dir ", path,
                                  "; name a folder that you may write to"));
}

absl::Status WriteJobFile(const std::string& path, const JobSpec& spec) {
  PODSIM_ASSIGN_OR_RETURN(const UniqueFd file,
                          OpenOutput(path, OutputStart::kEmpty));
  // The default job sets no field.
  const int error = WriteFully(
      file.get(), absl::StrCat("# from pod_launch\n", PrintJob(spec)));
  if (error == 0) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("cannot write ", path, ": ", WriteErrorText(error)));
}

// A local pod's token is its own unless the user sets one.
absl::StatusOr<std::string> TokenFor(const LaunchContext& context,
                                     bool external_hosts) {
  if (external_hosts || context.variables.contains(kTokenVariable)) {
    return TokenFromEnvironment();
  }
  return GenerateToken();
}

std::string MachineName() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "THIS_MACHINE";
  return name.data();
}

std::string CpuName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

// What listens on every address of this machine does on its own, too.
std::string DialledHere(const std::string& address) {
  absl::StatusOr<Address> parsed = ParseAddress(address);
  if (!parsed.ok()) return address;
  if (parsed->host == "0.0.0.0") parsed->host = "127.0.0.1";
  if (parsed->host == "::") parsed->host = "::1";
  return parsed->ToString();
}

// For whoever wants to watch the job; one that cannot be found runs as well.
void SayWhereToWatch(const PodFiles& files, const JobPlan& plan,
                     const std::string& address, Console& console) {
  WatchPlace place;
  place.set_address(DialledHere(address));
  place.set_token(files.token);
  place.set_model_dir(WholeModelDir(plan.spec().model_dir()));
  place.set_launcher_pid(getpid());
  place.set_slice(plan.bits().slice());
  place.set_model(plan.bits().model().name());
  place.set_generation(files.generation);
  const absl::Status written = WriteWatchPlace(files.private_dir, place);
  if (!written.ok())
    console.Error(absl::StrCat("warning: pod_top cannot find this job: ",
                               written.message()));
}

// Starts the coordinator, and the hosts or the wish for them (`invite`), once
// it is known where the coordinator listens, which `listens` is told first.
absl::Status StartPod(
    const PodFiles& files, const ElsewhereSettings& options,
    const PlannedJob& job, Supervisor& supervisor,
    const std::function<void(const std::string& address)>& listens,
    const std::function<void(const std::string& address)>& invite) {
  const auto host = [&](int process, const std::string& coordinator) {
    return HostCommand(files, job.plan, job.slice, process, coordinator);
  };
  const std::string listen =
      options.external_hosts()
          ? options.listen()
          : LocalListenAddress(files, job.plan.spec().transport());
  const bool by_port =
      options.external_hosts() || !UsesSockets(job.plan.spec().transport());

  PODSIM_ASSIGN_OR_RETURN(Pipe events, MakePipe());
  Pipe ready;
  if (by_port) {
    PODSIM_ASSIGN_OR_RETURN(ready, MakePipe());
  }
  PODSIM_RETURN_IF_ERROR(supervisor.StartCoordinator(
      CoordinatorCommand(files, listen, events.write_end.get(),
                         ready.write_end.get()),
      std::move(events.read_end)));
  if (!by_port) {
    listens(listen);
    // Hosts dial until the coordinator listens: all start at once.
    for (int process = 0; process < job.plan.spec().processes(); ++process) {
      PODSIM_RETURN_IF_ERROR(supervisor.StartHost(host(process, listen)));
    }
    return absl::OkStatus();
  }
  supervisor.StartHostsWhenReady(
      std::move(ready.read_end),
      [host, listens, invite, external = options.external_hosts(),
       processes = job.plan.spec().processes()](const std::string& address) {
        std::vector<ProcessSpec> specs;
        listens(address);
        if (external) {
          invite(address);
          return specs;
        }
        specs.reserve(static_cast<std::size_t>(processes));
        for (int process = 0; process < processes; ++process) {
          specs.push_back(host(process, address));
        }
        return specs;
      });
  return absl::OkStatus();
}

// All that can be refused before there is anything to clean up.
absl::Status CheckPlace(const LaunchContext& context, const PodFiles& files,
                        const PlannedJob& job) {
  const JobSpec& spec = job.spec;
  PODSIM_RETURN_IF_ERROR(CheckAcceleratorType(
      Find(context.variables, kAcceleratorTypeVariable).value_or(std::string()),
      job.plan.bits().slice()));
  PODSIM_RETURN_IF_ERROR(
      CheckOpenFiles(FilesOfPod(job.plan.spec().processes())));
  PODSIM_RETURN_IF_ERROR(CheckProgram(files.program_dir + "/pod_coordinator"));
  if (!files.external_hosts) {
    PODSIM_RETURN_IF_ERROR(CheckProgram(files.program_dir + "/pod_host"));
  }
  return spec.log_dir().empty() ? absl::OkStatus() : MakeLogDir(spec.log_dir());
}

// While this process waits for a store and for nobody else, a signal ends that.
void EndWaitsBySignal(const StopSignals& signals) {
  ProcessStoreWaits().EndWhen(
      [fd = signals.stop_fd()] {
        pollfd told = {.fd = fd, .events = POLLIN, .revents = 0};
        return poll(&told, 1, 0) > 0;
      },
      "told to end");
}

struct EndWaitsNoMore {
  ~EndWaitsNoMore() { ProcessStoreWaits().EndWhen({}, ""); }
};

// One generation of the pod.
absl::StatusOr<Outcome> RunPod(
    const PodFiles& files, const ElsewhereSettings& options,
    const PlannedJob& job, const StopSignals& signals, Console& console,
    const Clock& clock, JobDisplay& display,
    const std::function<void(const JobEvent&)>& on_event) {
  Supervisor supervisor(
      {.log_dir = job.spec.log_dir(),
       .append_logs = files.generation > 1,
       // Plans the job first, by its data set.
       .ready_wait = absl::Seconds(
           std::max(10.0, job.plan.spec().initialization_timeout())),
       .shutdown_wait = absl::Seconds(job.plan.spec().shutdown_timeout()),
       .drains = MakesSteps(job.plan),
       .saves = Saves(job.plan),
       .restores =
           job.plan.spec().on_corruption() == words::OnCorruption::restore},
      signals, console, clock, on_event);
  const auto invite = [&](const std::string& address) {
    display.Note(InvitationText(address, MachineName(), job.plan,
                                options.allow_plaintext_network()));
  };
  const auto listens = [&](const std::string& address) {
    SayWhereToWatch(files, job.plan, address, console);
  };
  PODSIM_RETURN_IF_ERROR(
      StartPod(files, options, job, supervisor, listens, invite));
  return supervisor.Run();
}

// Adds what lies in the job's model_dir.
void LookForCheckpoint(const JobPlan& plan, KeptWork& kept) {
  if (!Saves(plan)) return;
  const std::unique_ptr<ObjectStore> store = NewUriStore();
  const auto steps = ListSteps(*store, plan.spec().model_dir());
  // Advice that knows less is no failure.
  if (steps.ok()) kept.OnFound(steps->empty() ? 0 : steps->back());
}

// Those that its host processes were to write, this generation's the last.
std::vector<std::string> TraceParts(const PodFiles& files,
                                    const JobPlan& plan) {
  std::vector<std::string> parts;
  if (!files.traced) return parts;
  for (std::uint32_t generation = 1; generation <= files.generation;
       ++generation)
    for (int process = 0; process < plan.spec().processes(); ++process)
      parts.push_back(TracePartFile(
          files.private_dir, {.process = process, .generation = generation}));
  return parts;
}

// The pod, and the pod again as long as that may help.
absl::StatusOr<Outcome> RunGenerations(PodFiles files, PrivateDir& dir,
                                       const ElsewhereSettings& options,
                                       const PlannedJob& job,
                                       const StopSignals& signals,
                                       Console& console, const Clock& clock,
                                       JobDisplay& display) {
  Restarts restarts(job.spec.max_restarts());
  KeptWork kept(job.spec);
  const auto on_event = [&](const JobEvent& event) {
    restarts.OnEvent(event);
    kept.OnEvent(event);
    display.OnEvent(event);
    const std::string news = FormingText(event, options.external_hosts());
    if (!news.empty()) display.Note(news);
  };
  for (;;) {
    files.generation = restarts.generation();
    PODSIM_RETURN_IF_ERROR(dir.Restore());
    PODSIM_RETURN_IF_ERROR(
        WriteJobFile(files.job_file, restarts.SpecFor(job.spec)));
    PODSIM_ASSIGN_OR_RETURN(Outcome outcome,
                            RunPod(files, options, job, signals, console, clock,
                                   display, on_event));
    const std::optional<JobRestarting> next = restarts.Next(outcome);
    if (!next.has_value()) {
      EndWaitsBySignal(signals);
      ProcessStoreWaits().Hurry(kEndingPatience, "the job has ended");
      LookForCheckpoint(job.plan, kept);
      outcome.kept_work =
          kept.Advice(outcome.recoverable && outcome.stop_signal == 0);
      if (outcome.failure) outcome.failure->keep = outcome.kept_work;
      outcome.trace_parts = TraceParts(files, job.plan);
      return outcome;
    }
    JobEvent event;
    event.set_wall_time(absl::ToDoubleSeconds(clock.Now() - absl::UnixEpoch()));
    *event.mutable_restarting() = *next;
    display.OnEvent(event);
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<JobHold>> HoldModelDir(ObjectStore& store,
                                                      const JobPlan& plan) {
  if (!Saves(plan)) return nullptr;
  absl::StatusOr<std::unique_ptr<JobHold>> hold =
      JobHold::Acquire(store, plan.spec().model_dir());
  if (!hold.ok()) return Annotate(hold.status(), "--model_dir");
  return hold;
}

RunContext ContextOf(const std::string& program, const LaunchContext& context) {
  return {.command =
              absl::StrCat(program, " ", absl::StrJoin(context.arguments, " ")),
          .cpu = CpuName(),
          .cpus = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN))};
}

void ShowStop(const Outcome& outcome, Console& console) {
  if (outcome.stop_signal == 0) return;
  console.KeepLive();
  console.Error(absl::StrCat("stopped by ", DescribeSignal(outcome.stop_signal),
                             "; all processes have ended",
                             outcome.kept_work.empty() ? "" : "; ",
                             outcome.kept_work));
}

absl::StatusOr<int> RunPodJob(const LaunchContext& context,
                              const ElsewhereSettings& options,
                              const PlannedJob& job, Console& console,
                              const Clock& clock, JobDisplay& display,
                              const MonitorSettings& monitor) {
  PodFiles files = {
      .program_dir = context.program_dir,
      .allow_plaintext_network = options.allow_plaintext_network(),
      .external_hosts = options.external_hosts(),
      .traced = IsTraced(job.plan.spec()),
      .wall_offset = WallOffset(clock),
      .monitor = monitor};
  PODSIM_RETURN_IF_ERROR(CheckPlace(context, files, job));
  PODSIM_ASSIGN_OR_RETURN(files.token,
                          TokenFor(context, options.external_hosts()));

  // From here on a signal ends the loop, not the process, so that the
  // directory goes whatever happens.
  PODSIM_ASSIGN_OR_RETURN(const StopSignals signals, StopSignals::Block());
  const EndWaitsNoMore after;  // the last use of the hold
  EndWaitsBySignal(signals);
  const std::unique_ptr<ObjectStore> store = NewUriStore();
  absl::StatusOr<std::unique_ptr<JobHold>> held =
      HoldModelDir(*store, job.plan);
  if (const int signal = held.ok() ? 0 : signals.TakeStop(); signal != 0) {
    ShowStop({.stop_signal = signal}, console);
    return 128 + signal;
  }
  PODSIM_ASSIGN_OR_RETURN(const std::unique_ptr<JobHold> hold, std::move(held));
  ProcessStoreWaits().EndWhen({}, "");
  if (hold != nullptr) files.model_dir = hold->key();
  PODSIM_RETURN_IF_ERROR(display.Begin());
  PODSIM_ASSIGN_OR_RETURN(PrivateDir dir,
                          PrivateDir::Create(PrivateDirParents()));
  files.private_dir = dir.path();
  files.job_file = dir.File("job.textproto");

  console.set_stop_fd(signals.stop_fd());
  const absl::StatusOr<Outcome> outcome = RunGenerations(
      files, dir, options, job, signals, console, clock, display);
  const int code = outcome.ok() ? display.Close(*outcome) : 0;
  console.set_stop_fd(-1);
  if (!outcome.ok()) return outcome.status();
  return code;
}

}  // namespace podsim
