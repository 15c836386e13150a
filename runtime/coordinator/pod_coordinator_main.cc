// pod_coordinator: forms a pod, watches it, and writes what happens to the job
// as one JSON object a line. Exit code: 0 done, 1 the job failed, 2 bad usage.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
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
#include "base/mutex.h"
#include "base/printable.h"
#include "base/program.h"
#include "base/rpc/token.h"
#include "base/signal_watch.h"
#include "base/status.h"
#include "host/storage/directory_lock.h"
#include "host/storage/uri_store.h"
#include "job/saving.h"
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
  int model_dir_lock_fd = -1;
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
  app.add_option("--model_dir_lock_fd", flags.model_dir_lock_fd,
                 "descriptor of the lock on the job's model_dir, where whoever "
                 "starts this program holds it");
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
// step and save. Who is told once more after that ends the program.
SignalWatch::Handler StopsJob(CoordinatorServer& server) {
  return [&server, drained = false, stopped = false](int signal) mutable {
    const std::string reason = absl::StrCat(
        "the coordinator was told to end (SIG", sigabbrev_np(signal), ")");
    if (signal == SIGTERM && !std::exchange(drained, true)) {
      server.Drain(reason);
      return true;
    }
    server.Stop(reason);
    return !std::exchange(stopped, true);
  };
}

// The last words are being written: who cannot wait for them says so again.
SignalWatch::Handler LetsFinish() {
  return [told = false](int) mutable { return !std::exchange(told, true); };
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
  std::optional<DirectoryLock> lock;  // of the model_dir
  std::optional<Committer> committer;
  std::unique_ptr<CoordinatorServer> server;
};

// So that no other job writes there, from before we look what is there.
absl::Status LockModelDir(const Flags& flags, Job& job) {
  if (!Saves(job.draft)) return absl::OkStatus();
  const std::string& dir = job.draft.model_dir();
  absl::StatusOr<DirectoryLock> lock =
      flags.model_dir_lock_fd >= 0
          ? DirectoryLock::Inherit(dir, flags.model_dir_lock_fd)
          : DirectoryLock::Acquire(dir);
  if (!lock.ok()) return Annotate(lock.status(), "--model_dir");
  job.lock.emplace(*std::move(lock));
  return absl::OkStatus();
}

// Gives signs of life, for machines that cannot see this process, until told
// to stop. Ends the job when one has taken the directory over.
void KeepLock(const std::stop_token& stop, const DirectoryLock& lock,
              CoordinatorServer& server) {
  Mutex mutex;
  CondVar idle;
  const std::stop_callback wake(stop, [&] {
    MutexLock hold(mutex);  // not between a look at `stop` and the wait
    idle.NotifyAll();
  });
  MutexLock hold(mutex);
  while (!stop.stop_requested()) {
    if (const absl::Status kept = lock.Renew(); !kept.ok()) {
      server.Stop(std::string(kept.message()));
      return;
    }
    idle.WaitFor(mutex, absl::ToChronoNanoseconds(kLockRenewal));
  }
}

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
  PODSIM_RETURN_IF_ERROR(LockModelDir(flags, job));
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

int Run(const Flags& flags) {
  signal(SIGPIPE, SIG_IGN);
  // Our own messages say what gRPC's would, in one line.
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);
  // While the job is planned and the checkpoint read, they end the program.
  SignalWatch watch({SIGTERM, SIGINT});
  if (const absl::Status threads = CheckThreads(kOwnThreads); !threads.ok()) {
    Log(LogLevel::kError, std::string(threads.message()));
    return kBadUsage;
  }
  Job job(flags);
  if (const absl::Status started = StartServer(flags, job); !started.ok()) {
    Log(LogLevel::kError, std::string(started.message()));
    return kBadUsage;
  }
  watch.Handle(StopsJob(*job.server));
  if (flags.ready_fd >= 0) {
    WriteAll(flags.ready_fd, job.server->address() + "\n");
    close(flags.ready_fd);
  }
  std::jthread keeper;
  if (job.lock) {
    keeper = std::jthread([&job](const std::stop_token& stop) {
      KeepLock(stop, *job.lock, *job.server);
    });
  }
  const absl::Status outcome = job.server->Wait();
  watch.Handle(LetsFinish());
  keeper = std::jthread();  // ends it: it uses the server
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
  podsim::BeginProgram();
  podsim::Flags flags;
  CLI::App app("Forms a pod, watches it and reports what happens to the job.");
  podsim::AddFlags(app, flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream text;
    const int code = app.exit(error, text, text);
    (code == 0 ? std::cout : std::cerr) << podsim::Printable(text.str());
    return podsim::EndProgram(code == 0 ? podsim::kDone : podsim::kBadUsage);
  }
  return podsim::Run(flags);
}
