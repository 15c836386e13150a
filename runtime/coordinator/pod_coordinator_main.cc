// pod_coordinator: forms a pod, watches it, and writes what happens to the job
// as one JSON object a line. Exit code: 0 done, 1 the job failed, 2 bad usage.
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/program.h"
#include "base/rpc/address.h"
#include "base/rpc/token.h"
#include "base/signal_watch.h"
#include "base/status.h"
#include "base/stop_wait.h"
#include "host/checkpoint/commit.h"
#include "host/checkpoint/save.h"
#include "host/storage/directory_lock.h"
#include "host/storage/distant_places.h"
#include "host/storage/job_hold.h"
#include "host/storage/store_waits.h"
#include "host/storage/uri_store.h"
#include "host/storage/watched_store.h"
#include "interconnect/topology/slice.h"
#include "job/plan_program.h"
#include "job/saving.h"
#include "proto/programs.pb.h"
#include "runtime/coordinator/committer.h"
#include "runtime/coordinator/event_writer.h"
#include "runtime/coordinator/plan_inputs.h"
#include "runtime/coordinator/run_start.h"
#include "runtime/coordinator/service.h"
#include "runtime/files/job_file.h"
#include "runtime/job/planner.h"
#include "runtime/job/spec_check.h"
#include "settings/command_line.h"
#include "settings/programs.h"
#include "settings/setting.h"

namespace podsim {
namespace {

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kBadUsage = 2;

// For whoever reads the events, once the job has ended.
constexpr absl::Duration kEventsLimit = absl::Seconds(5);

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

// Ends the job on SIGINT and on a second SIGTERM or SIGUSR1; the first lets it
// finish its step. Who is told once more after that ends the program.
SignalWatch::Handler StopsJob(CoordinatorServer& server) {
  return [&server, drained = false, stopped = false](int signal) mutable {
    const std::string reason = absl::StrCat(
        "the coordinator was told to end (SIG", sigabbrev_np(signal), ")");
    if (signal != SIGINT && !std::exchange(drained, true)) {
      ProcessStoreWaits().Hurry(kSavingPatience, reason);
      server.Drain(reason);
      return true;
    }
    ProcessStoreWaits().Hurry(kEndingPatience, reason);
    server.Stop(reason);
    return !std::exchange(stopped, true);
  };
}

// The last words are being written: who cannot wait for them says so again.
SignalWatch::Handler LetsFinish() {
  return [told = false](int) mutable { return !std::exchange(told, true); };
}

SystemClock ClockFor(const CoordinatorSettings& settings) {
  return settings.has_wall_offset_ns()
             ? SystemClock(absl::Nanoseconds(settings.wall_offset_ns()))
             : SystemClock();
}

// What lives as long as the job; the server goes first.
struct CoordinatorRun {
  explicit CoordinatorRun(const CoordinatorSettings& settings)
      : clock(ClockFor(settings)), events(settings.events_fd(), clock) {}

  const SystemClock clock;
  EventWriter events;
  StoreWatch watch;
  std::unique_ptr<ObjectStore> store = NewUriStore();
  JobPlan draft;
  std::unique_ptr<JobHold> hold;  // of the model_dir
  std::int64_t stamp = 0;         // of what this process writes there
  std::optional<HeldDir> held;    // with the record, as the start left it
  std::optional<Committer> committer;
  std::unique_ptr<CoordinatorServer> server;
  // Keep the hold until the server runs, and tell the launcher that the start
  // moves, however long it takes.
  std::jthread starting;
  std::jthread alive;
};

// An empty line a second to who waits for the address, while the store answers.
void SayAlive(const CoordinatorSettings& settings, CoordinatorRun& run) {
  if (!settings.has_ready_fd()) return;
  run.alive = std::jthread(
      [fd = settings.ready_fd(), &run](const std::stop_token& stop) {
        std::int64_t seen = 0;
        while (WaitUnlessStopped(stop, std::chrono::seconds(1))) {
          if (const std::int64_t done = run.watch.done(); done != seen) {
            seen = done;
            WriteAll(fd, "\n");
          }
        }
      });
}

// So that no other job writes there, from before we look what is there.
absl::Status HoldModelDir(const CoordinatorSettings& settings,
                          CoordinatorRun& run) {
  if (!Saves(run.draft)) return absl::OkStatus();
  const std::string& dir = run.draft.spec().model_dir();
  HoldKey key{.lease = settings.model_dir_lease()};
  if (settings.has_model_dir_lock_fd())
    key.lock_fd = settings.model_dir_lock_fd();
  const bool held = key.lock_fd >= 0 || !key.lease.empty();
  auto hold = held ? JobHold::Join(*run.store, dir, key)
                   : JobHold::Acquire(*run.store, dir);
  if (!hold.ok()) return Annotate(hold.status(), "--model_dir");
  run.hold = *std::move(hold);
  // A sign of life right away: the rest of the start may take a while.
  PODSIM_RETURN_IF_ERROR(run.hold->Renew());
  run.starting = std::jthread([&run](const std::stop_token& stop) {
    // What fails here fails the next announcement, too.
    while (WaitUnlessStopped(stop, absl::ToChronoNanoseconds(kLockRenewal)))
      static_cast<void>(run.hold->Renew());
  });
  PODSIM_ASSIGN_OR_RETURN(
      run.held,
      HeldDir::Open(*run.store, dir, [&run](const std::string& change) {
        return run.hold->Announce(change);
      }));
  PODSIM_RETURN_IF_ERROR(FinishChange(*run.held, run.hold->change()));
  return run.held->Announce("");
}

// Gives signs of life, for machines that cannot see this process, until told
// to stop. Ends the job when one has taken the directory over.
void KeepHold(const std::stop_token& stop, JobHold& hold,
              CoordinatorServer& server) {
  do {
    const absl::Status kept = hold.Renew();
    if (absl::IsFailedPrecondition(kept)) {
      server.Stop(std::string(kept.message()));
      return;
    }
    // A store that does not answer for a while may have kept it.
    if (!kept.ok()) Log(LogLevel::kWarning, std::string(kept.message()));
  } while (WaitUnlessStopped(stop, absl::ToChronoNanoseconds(kLockRenewal)));
}

// Finds where training goes on, and makes the model_dir ready for it.
absl::StatusOr<RunStart> StartOf(const JobSpec& spec, CoordinatorRun& run) {
  PODSIM_ASSIGN_OR_RETURN(RunStart start,
                          FindStart(*run.store, spec, run.draft));
  run.stamp = absl::ToUnixNanos(run.clock.Now());
  start.stamp = run.stamp;
  if (!Saves(run.draft)) return start;
  PODSIM_RETURN_IF_ERROR(PrepareModelDir(*run.held, run.stamp, start));
  PODSIM_ASSIGN_OR_RETURN(const Program program, ProgramOf(run.draft));
  run.committer.emplace(Committer::Options{
      .held = *run.held,
      .stamp = run.stamp,
      .keep = run.draft.spec().keep(),
      .on_pruned =
          [&run](std::int64_t step, const absl::Status& status) {
            JobEvent event;
            event.set_wall_time(
                absl::ToDoubleSeconds(run.clock.Now() - absl::UnixEpoch()));
            event.mutable_deleted()->set_step(step);
            event.mutable_deleted()->set_error(std::string(status.message()));
            run.events.Write(event);
          },
      .tensors = TensorsOf(program, run.draft.bits().hosts())});
  return start;
}

absl::Status StartServer(const CoordinatorSettings& settings,
                         CoordinatorRun& run) {
  PODSIM_RETURN_IF_ERROR(
      Annotate(ParseAddress(settings.listen()).status(), "--listen"));
  PODSIM_ASSIGN_OR_RETURN(std::string token, TokenFromEnvironment());
  PODSIM_ASSIGN_OR_RETURN(JobSpec spec, ReadJobFile(settings.job()));
  PODSIM_ASSIGN_OR_RETURN(PlanInputs inputs,
                          GatherPlanInputs(spec, !settings.external()));
  const std::string isa = inputs.isa;
  PODSIM_ASSIGN_OR_RETURN(run.draft, PlanJob(spec, inputs));
  PODSIM_ASSIGN_OR_RETURN(const Slice slice,
                          SliceNamed(run.draft.bits().slice(), spec));
  PODSIM_RETURN_IF_ERROR(Annotate(CheckTrains(slice), "topology"));
  if (spec.simulate_geography())
    run.store = NewDistantStore(
        std::move(run.store),
        DistantPlacesOf(run.draft.geography(), run.draft.bits().hosts(), 1));
  run.store = WatchStore(std::move(run.store), &run.watch);
  SayAlive(settings, run);
  PODSIM_RETURN_IF_ERROR(HoldModelDir(settings, run));
  PODSIM_ASSIGN_OR_RETURN(RunStart start, StartOf(spec, run));
  PODSIM_ASSIGN_OR_RETURN(
      run.server,
      CoordinatorServer::Start(
          {.listen = settings.listen(),
           .security = {.token = std::move(token),
                        .allow_plaintext_network =
                            settings.allow_plaintext_network()},
           .make_plan =
               PlanMakerFor(std::move(spec), std::move(inputs), run.draft),
           .isa = isa,
           .on_event =
               [&run](const JobEvent& event) {
                 run.events.Write(event);
                 if (run.committer) run.committer->OnEvent(event);
               },
           .generation = settings.generation(),
           .start = std::move(start),
           .commit =
               [&run](const CheckpointManifest& manifest, CommitDone done) {
                 run.committer->Commit(manifest, std::move(done));
               },
           .clock = &run.clock}));
  return absl::OkStatus();
}

int Run(const CoordinatorSettings& settings) {
  signal(SIGPIPE, SIG_IGN);
  // Our own messages say what gRPC's would, in one line.
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);
  // While the job is planned and the checkpoint read, they end the program.
  SignalWatch watch({SIGTERM, SIGUSR1, SIGINT});
  if (const absl::Status threads = CheckThreads(kOwnThreads); !threads.ok()) {
    Log(LogLevel::kError, std::string(threads.message()));
    return kBadUsage;
  }
  CoordinatorRun run(settings);
  if (const absl::Status started = StartServer(settings, run); !started.ok()) {
    Log(LogLevel::kError, std::string(started.message()));
    return kBadUsage;
  }
  watch.Handle(StopsJob(*run.server));
  run.alive = std::jthread();  // ends it: the address is the last line
  if (settings.has_ready_fd()) {
    WriteAll(settings.ready_fd(), run.server->address() + "\n");
    close(settings.ready_fd());
  } else {
    // A free port was taken, unless --listen names one.
    Log(LogLevel::kInfo,
        absl::StrCat("listens at ", run.server->address(), " for the hosts of ",
                     run.draft.bits().slice(), ": pod_host --coordinator=",
                     run.server->address(), " --process=0 and so on"));
  }
  run.starting = std::jthread();  // ends it
  std::jthread keeper;
  if (run.hold != nullptr) {
    keeper = std::jthread([&run](const std::stop_token& stop) {
      KeepHold(stop, *run.hold, *run.server);
    });
  }
  const absl::Status outcome = run.server->Wait();
  watch.Handle(LetsFinish());
  ProcessStoreWaits().Hurry(outcome.ok() ? kSavingPatience : kEndingPatience,
                            "the job has ended");
  keeper = std::jthread();  // ends it: it uses the server
  run.server.reset();
  run.committer.reset();  // deletes old checkpoints, and tells of them
  if (run.held) LeaveModelDir(*run.held, run.stamp);
  run.events.Finish(kEventsLimit);
  if (outcome.ok()) return kDone;
  Log(LogLevel::kError, std::string(outcome.message()));
  return kFailed;
}

}  // namespace
}  // namespace podsim

int main(int argc, char** argv) {
  podsim::BeginProgram();
  podsim::CoordinatorSettings settings;
  const auto line = podsim::ParseCommandLine(
      podsim::PodCoordinator(), {argv + 1, argv + argc}, {}, {&settings});
  if (!line.ok()) {
    podsim::Log(podsim::LogLevel::kError, std::string(line.status().message()));
    return podsim::kBadUsage;
  }
  if (!line->text.empty()) {
    std::cout << line->text;
    return podsim::EndProgram(podsim::kDone);
  }
  podsim::FillDefaults(settings);
  return podsim::Run(settings);
}
