// pod_coordinator: forms a pod, watches it, and writes what happens to the job
// as one JSON object a line. Exit code: 0 done, 1 the job failed, 2 bad usage.
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/printable.h"
#include "base/rpc/token.h"
#include "base/status.h"
#include "host/storage/uri_store.h"
#include "runtime/coordinator/committer.h"
#include "runtime/coordinator/event_writer.h"
#include "runtime/coordinator/plan_inputs.h"
#include "runtime/coordinator/run_start.h"
#include "runtime/coordinator/service.h"
#include "runtime/files/job_file.h"
#include "runtime/job/planner.h"

namespace podsim {
namespace {

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kBadUsage = 2;

// For whoever reads the events, once the job has ended.
constexpr absl::Duration kEventsLimit = absl::Seconds(5);

struct Flags {
  std::string job;
  std::string listen = "127.0.0.1:0";
  int events_fd = STDOUT_FILENO;
  int ready_fd = -1;
  bool allow_plaintext_network = false;
  bool external = false;
  std::uint32_t generation = 1;
  std::optional<std::int64_t> wall_offset_ns;
};

void AddFlags(CLI::App& app, Flags& flags) {
  app.add_option("--job", flags.job, "JobSpec as protobuf text")->required();
  app.add_option("--listen", flags.listen, "unix:/path or host:port")
      ->capture_default_str();
  app.add_option("--events_fd", flags.events_fd,
                 "descriptor for the events, one JSON object a line")
      ->capture_default_str();
  app.add_option("--ready_fd", flags.ready_fd,
                 "descriptor for the bound address, once listening");
  app.add_flag("--allow_plaintext_network", flags.allow_plaintext_network,
               "let calls travel unencrypted beyond this machine");
  app.add_option("--generation", flags.generation,
                 "how often the pod was started, this time included")
      ->capture_default_str();
  app.add_option("--wall_offset_ns", flags.wall_offset_ns,
                 "what the events' clock is ahead of this machine's steady "
                 "one; without, as the wall clock is now");
  app.add_flag("--external", flags.external,
               "hosts run on other machines: do not check this one's memory");
}

// All of `text`; false once nobody reads any more.
bool WriteAll(int fd, const std::string& text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t n = write(fd, text.data() + written, text.size() - written);
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) written += static_cast<std::size_t>(n);
  }
  return true;
}

// Ends the job on SIGINT and on a second SIGTERM; the first lets it finish its
// step and save. The signals must be blocked in every thread.
void WatchSignals(const std::stop_token& stop, const sigset_t& signals,
                  CoordinatorServer& server) {
  bool draining = false;
  const timespec slice = {.tv_sec = 0, .tv_nsec = 100'000'000};
  while (!stop.stop_requested()) {
    const int signal = sigtimedwait(&signals, nullptr, &slice);
    if (signal <= 0) continue;
    const std::string reason = absl::StrCat(
        "the coordinator was told to end (SIG", sigabbrev_np(signal), ")");
    if (signal == SIGTERM && !std::exchange(draining, true)) {
      server.Drain(reason);
    } else {
      server.Stop(reason);
    }
  }
}

SystemClock ClockFor(const Flags& flags) {
  return flags.wall_offset_ns
             ? SystemClock(absl::Nanoseconds(*flags.wall_offset_ns))
             : SystemClock();
}

// What lives as long as the job; the server goes first.
struct Job {
  explicit Job(const Flags& flags)
      : clock(ClockFor(flags)), events(flags.events_fd, clock) {}

  const SystemClock clock;
  EventWriter events;
  std::unique_ptr<ObjectStore> store = NewUriStore();
  JobPlan draft;
  std::optional<Committer> committer;
  std::unique_ptr<CoordinatorServer> server;
};

// Finds where training goes on, and makes the model_dir ready for it.
absl::StatusOr<RunStart> StartOf(const JobSpec& spec, Job& job) {
  PODSIM_ASSIGN_OR_RETURN(RunStart start,
                          FindStart(*job.store, spec, job.draft));
  const std::int64_t stamp = absl::ToUnixNanos(job.clock.Now());
  PODSIM_RETURN_IF_ERROR(PrepareModelDir(*job.store, job.draft, stamp, start));
  job.committer.emplace(Committer::Options{.store = job.store.get(),
                                           .model_dir = job.draft.model_dir(),
                                           .stamp = stamp,
                                           .keep = job.draft.keep()});
  return start;
}

absl::Status StartServer(const Flags& flags, Job& job) {
  PODSIM_ASSIGN_OR_RETURN(std::string token, TokenFromEnvironment());
  PODSIM_ASSIGN_OR_RETURN(JobSpec spec, ReadJobFile(flags.job));
  PODSIM_ASSIGN_OR_RETURN(PlanInputs inputs,
                          GatherPlanInputs(spec, !flags.external));
  const std::string isa = inputs.isa;
  PODSIM_ASSIGN_OR_RETURN(job.draft, PlanJob(spec, inputs));
  PODSIM_ASSIGN_OR_RETURN(RunStart start, StartOf(spec, job));
  PODSIM_ASSIGN_OR_RETURN(
      job.server,
      CoordinatorServer::Start(
          {.listen = flags.listen,
           .security = {.token = std::move(token),
                        .allow_plaintext_network =
                            flags.allow_plaintext_network},
           .make_plan =
               PlanMakerFor(std::move(spec), std::move(inputs), job.draft),
           .isa = isa,
           .on_event =
               [&job](const JobEvent& event) {
                 job.events.Write(event);
                 job.committer->OnEvent(event);
               },
           .generation = flags.generation,
           .start = std::move(start),
           .commit =
               [&job](const CheckpointManifest& manifest, CommitDone done) {
                 job.committer->Commit(manifest, std::move(done));
               },
           .clock = &job.clock}));
  return absl::OkStatus();
}

// Until the job has ended.
absl::Status Serve(const sigset_t& signals, CoordinatorServer& server) {
  const std::jthread watcher([&](const std::stop_token& stop) {
    WatchSignals(stop, signals, server);
  });
  return server.Wait();
}

int Run(const Flags& flags) {
  signal(SIGPIPE, SIG_IGN);
  // Our own messages say what gRPC's would, in one line.
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);
  // Blocked before any thread starts, so that all of them inherit it.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  Job job(flags);
  if (const absl::Status started = StartServer(flags, job); !started.ok()) {
    Log(LogLevel::kError, std::string(started.message()));
    return kBadUsage;
  }
  if (flags.ready_fd >= 0) {
    WriteAll(flags.ready_fd, job.server->address() + "\n");
    close(flags.ready_fd);
  }
  const absl::Status outcome = Serve(signals, *job.server);
  job.server.reset();
  LeaveModelDir(*job.store, job.draft);
  job.events.Finish(kEventsLimit);
  if (outcome.ok()) return kDone;
  Log(LogLevel::kError, std::string(outcome.message()));
  return kFailed;
}

}  // namespace
}  // namespace podsim

int main(int argc, char** argv) {
  podsim::Flags flags;
  CLI::App app("Forms a pod, watches it and reports what happens to the job.");
  podsim::AddFlags(app, flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream text;
    const int code = app.exit(error, text, text);
    (code == 0 ? std::cout : std::cerr) << podsim::Printable(text.str());
    return code == 0 ? podsim::kDone : podsim::kBadUsage;
  }
  return podsim::Run(flags);
}
