// pod_coordinator: forms a pod, watches it, and writes what happens to the job
// as one JSON object a line. Exit code: 0 done, 1 the job failed, 2 bad usage.
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/program.h"
#include "base/rpc/address.h"
#include "base/rpc/token.h"
#include "base/signal_watch.h"
#include "base/status.h"
#include "host/checkpoint/commit.h"
#include "host/storage/distant_places.h"
#include "host/storage/store_waits.h"
#include "host/storage/watched_store.h"
#include "interconnect/topology/slice.h"
#include "job/plan_program.h"
#include "job/traced_steps.h"
#include "proto/programs.pb.h"
#include "runtime/coordinator/committer.h"
#include "runtime/coordinator/coordinator_run.h"
#include "runtime/coordinator/job_monitor.h"
#include "runtime/coordinator/plan_inputs.h"
#include "runtime/coordinator/ports.h"
#include "runtime/coordinator/run_start.h"
#include "runtime/coordinator/service.h"
#include "runtime/coordinator/side_figure.h"
#include "runtime/files/job_file.h"
#include "runtime/forecast/forecast.h"
#include "runtime/forecast/job_options.h"
#include "runtime/forecast/sum_prices.h"
#include "runtime/job/ici_fault.h"
#include "runtime/job/planner.h"
#include "runtime/job/spec_check.h"
#include "runtime/monitor/monitor_settings.h"
#include "settings/command_line.h"
#include "settings/origins.h"
#include "settings/pasted.h"
#include "settings/programs.h"
#include "settings/setting.h"

namespace podsim {
namespace {

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kBadUsage = 2;

// For whoever reads the events, once the job has ended.
constexpr absl::Duration kEventsLimit = absl::Seconds(5);
// For the hosts that are left of a job that has failed to bring what they
// traced. Whoever started this program gives it 2 s to end.
constexpr absl::Duration kTraceLimit = absl::Seconds(1);

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

std::string ReasonOf(int signal) {
  return absl::StrCat("the coordinator was told to end (SIG",
                      sigabbrev_np(signal), ")");
}

// Ends the job on SIGINT and on a second SIGTERM or SIGUSR1; the first lets it
// finish its step. Who is told once more after that ends the program.
SignalWatch::Handler StopsJob(CoordinatorServer& server) {
  return [&server, drained = false, stopped = false](int signal) mutable {
    const std::string reason = ReasonOf(signal);
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

// While it looks where the job begins there is nothing to finish or to save:
// the hosts are told, and the program ends.
SignalWatch::Handler EndsLook(CoordinatorRun& run) {
  return [&run](int signal) -> bool {
    run.server->Stop(ReasonOf(signal));
    const absl::Status outcome = run.server->Wait();
    run.events.Finish(kEventsLimit);
    Log(LogLevel::kError, std::string(outcome.message()));
    _exit(kFailed);
  };
}

// What is to be known of a job before it listens. In `lines` where its file
// says what, also of a job that is refused.
absl::StatusOr<PlanInputs> PlanDraft(const CoordinatorSettings& settings,
                                     CoordinatorRun& run, Origins& lines) {
  PODSIM_ASSIGN_OR_RETURN(run.spec, ReadJobFile(settings.job(), lines));
  PODSIM_ASSIGN_OR_RETURN(PlanInputs inputs,
                          GatherPlanInputs(run.spec, !settings.external()));
  PODSIM_ASSIGN_OR_RETURN(run.draft, PlanJob(run.spec, inputs));
  PODSIM_ASSIGN_OR_RETURN(const Slice slice,
                          SliceNamed(run.draft.bits().slice(), run.spec));
  PODSIM_RETURN_IF_ERROR(Annotate(CheckTrains(slice), "topology"));
  if (run.spec.simulate_geography())
    run.store = NewDistantStore(
        std::move(run.store),
        DistantPlacesOf(run.draft.geography(), run.draft.bits().hosts(), 1));
  run.store = WatchStore(std::move(run.store), &run.watch);
  return inputs;
}

// A job that has failed waits for no store.
void TakeEvent(const JobEvent& event, CoordinatorRun& run) {
  Tell(event, run);
  if (event.has_failed())
    ProcessStoreWaits().Hurry(kEndingPatience, "the job has ended");
  if (event.has_skipped()) run.skipped = true;
  if (run.begun && run.committer) run.committer->OnEvent(event);
}

// Of the job's step on the pod, for a page that shows it: the step of
// ForecastJob without all else that one says, which takes many times as long.
absl::StatusOr<double> SimStepOf(const JobSpec& spec, const JobPlan& plan) {
  PODSIM_ASSIGN_OR_RETURN(Slice slice, SliceNamed(plan.bits().slice(), spec));
  PODSIM_ASSIGN_OR_RETURN(slice, WithIciFault(std::move(slice), spec));
  PODSIM_ASSIGN_OR_RETURN(const Program program, ProgramOf(plan));
  SumPrices sums(slice, AskedAlgorithm(plan.spec()));
  PODSIM_ASSIGN_OR_RETURN(
      const SimStep step,
      ForecastStep(program, slice,
                   StepOptionsOf(plan, plan.bits().batch_per_core()), sums));
  return step.total.seconds();
}

// What others than the hosts may read meanwhile.
absl::Status StartMonitor(const MonitorSettings& settings,
                          const RpcSecurity& security, CoordinatorRun& run) {
  PODSIM_ASSIGN_OR_RETURN(
      run.monitor, JobMonitor::Start({.settings = settings,
                                      .security = security,
                                      .hosts = run.draft.bits().hosts(),
                                      // Of copies: it may outlive the run.
                                      .sim_step =
                                          [spec = run.spec, plan = run.draft] {
                                            return SimStepOf(spec, plan);
                                          }},
                                     run.feed));
  if (run.monitor != nullptr && run.monitor->metrics_port() != 0)
    Log(LogLevel::kInfo,
        absl::StrCat("metrics for Prometheus: http://",
                     Address{.host = settings.metrics_host(),
                             .port = run.monitor->metrics_port()}
                         .ToString(),
                     "/metrics"));
  return absl::OkStatus();
}

absl::Status StartServer(const CoordinatorSettings& settings,
                         const MonitorSettings& monitor, CoordinatorRun& run,
                         Origins& lines) {
  PODSIM_RETURN_IF_ERROR(
      Annotate(ParseAddress(settings.listen()).status(), "--listen"));
  PODSIM_ASSIGN_OR_RETURN(std::string token, TokenFromEnvironment());
  PODSIM_ASSIGN_OR_RETURN(PlanInputs inputs, PlanDraft(settings, run, lines));
  const std::string isa = inputs.isa;
  const RpcSecurity security = {
      .token = std::move(token),
      .allow_plaintext_network = settings.allow_plaintext_network()};
  PODSIM_RETURN_IF_ERROR(CheckPorts(
      {.listen = settings.listen(),
       .monitor = monitor,
       .hosts = run.draft.bits().hosts(),
       .allow_plaintext_network = settings.allow_plaintext_network()}));
  PODSIM_RETURN_IF_ERROR(StartMonitor(monitor, security, run));
  PODSIM_ASSIGN_OR_RETURN(
      run.server,
      CoordinatorServer::Start(
          {.listen = settings.listen(),
           .security = security,
           .make_plan = PlanMakerFor(run.spec, std::move(inputs), run.draft),
           .isa = isa,
           .on_event = [&run](const JobEvent& event) { TakeEvent(event, run); },
           .generation = settings.generation(),
           .looking = WhatIsLookedFor(run),
           .commit =
               [&run](const CheckpointManifest& manifest, CommitDone done) {
                 run.committer->Commit(manifest, std::move(done));
               },
           .clock = &run.clock,
           .feed = &run.feed,
           .trace_parts =
               IsTraced(run.spec) ? settings.trace_parts() : std::string()}));
  return absl::OkStatus();
}

void SayWhereItListens(const CoordinatorSettings& settings,
                       const CoordinatorRun& run) {
  const std::string& address = run.server->address();
  if (settings.has_ready_fd()) {
    WriteAll(settings.ready_fd(), address + "\n");
    close(settings.ready_fd());
    return;
  }
  // A free port was taken, unless --listen names one.
  Log(LogLevel::kInfo,
      absl::StrCat("listens at ", address, " for the hosts of ",
                   run.draft.bits().slice(), ": pod_host --coordinator=",
                   address, " --process=0 and so on"));
}

// From a server that listens to the job's end; the exit code.
int RunJob(const CoordinatorSettings& settings, CoordinatorRun& run,
           SignalWatch& watch) {
  absl::StatusOr<RunStart> start = LookForStart(settings, run);
  const absl::Status looked = start.status();
  watch.Handle(StopsJob(*run.server));
  run.server->Begin(std::move(start));
  const absl::Status outcome = run.server->Wait();
  watch.Handle(LetsFinish());
  ProcessStoreWaits().Hurry(outcome.ok() ? kSavingPatience : kEndingPatience,
                            "the job has ended");
  run.keeper = std::jthread();  // ends it: it uses the server
  run.server->WaitForTrace(kTraceLimit);
  run.server.reset();
  run.committer.reset();  // deletes old checkpoints, and tells of them
  // All hosts are done: nobody writes any more. The next start would do it,
  // too.
  if (outcome.ok() && run.skipped)
    static_cast<void>(CleanUnfinished(*run.held));
  if (run.held) LeaveModelDir(*run.held, run.stamp);
  run.events.Finish(kEventsLimit);
  if (outcome.ok()) return kDone;
  Log(LogLevel::kError, std::string(outcome.message()));
  return outcome == looked ? kBadUsage : kFailed;
}

int Refuse(const absl::Status& status, const std::vector<std::string>& args,
           const Origins& lines = {}) {
  Log(LogLevel::kError,
      std::string(NamePasted(WithOrigin(status, lines), PodCoordinator(), args,
                             {}, lines)
                      .message()));
  return kBadUsage;
}

int Run(const CoordinatorSettings& settings, const MonitorSettings& monitor,
        const std::vector<std::string>& args) {
  signal(SIGPIPE, SIG_IGN);
  // Our own messages say what gRPC's would, in one line.
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);
  // While the job is planned, they end the program.
  SignalWatch watch({SIGTERM, SIGUSR1, SIGINT});
  if (const absl::Status threads = CheckThreads(kOwnThreads); !threads.ok()) {
    Log(LogLevel::kError, std::string(threads.message()));
    return kBadUsage;
  }
  CoordinatorRun run(settings);
  Origins lines;
  if (const absl::Status started = StartServer(settings, monitor, run, lines);
      !started.ok())
    return Refuse(started, args, lines);
  watch.Handle(EndsLook(run));
  SayWhereItListens(settings, run);
  return RunJob(settings, run, watch);
}

}  // namespace
}  // namespace podsim

int main(int argc, char** argv) {
  podsim::BeginProgram();
  podsim::CoordinatorSettings settings;
  podsim::MonitorSettings monitor;
  const std::vector<std::string> args(argv + 1, argv + argc);
  const auto line = podsim::ParseCommandLine(podsim::PodCoordinator(), args, {},
                                             {&settings, &monitor});
  if (!line.ok()) return podsim::Refuse(line.status(), args);
  if (!line->text.empty()) {
    std::cout << line->text;
    return podsim::EndProgram(podsim::kDone);
  }
  if (const absl::Status status = podsim::CheckMonitor(monitor); !status.ok())
    return podsim::Refuse(status, args);
  podsim::FillDefaults(settings);
  podsim::FillDefaults(monitor);
  return podsim::SideFigure::EndProcess(podsim::Run(settings, monitor, args));
}
